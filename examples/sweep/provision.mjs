// Orders a static proxy for a client, and gives it a fresh IP list. It works, as long as nothing goes wrong.
//   npx proxysim sweep -- node provision.mjs
const { PROXYSIM_URL: url, PROXYSIM_LOGIN: login, PROXYSIM_PASSWORD: password } = process.env
const headers = {
  authorization: `Basic ${btoa(`${login}:${password}`)}`,
  accept: 'application/json',
  'content-type': 'application/json',
}

async function ask(method, path, body) {
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  return { status: response.status, text, body: response.ok ? JSON.parse(text) : undefined }
}

async function order(product, clientid) {
  for (let attempt = 1; ; attempt++) {
    try {
      const { status, text, body } = await ask('POST', `/api/product/${product}`, { clientid })
      if (status !== 200) throw new Error(`The order was refused: ${text}`)
      return body.serviceId
    } catch (error) {
      // Bug 1: nobody knows whether the order was executed, and it is sent again.
      if (!(error instanceof TypeError) || attempt === 3) throw error
    }
  }
}

async function updateList(service) {
  let answer = await ask('PUT', `/api/service/${service}`, { update_list: 'true' })
  // Bug 2: the answer names the time at which to try again, and it is tried again at once.
  while (answer.status === 429) answer = await ask('PUT', `/api/service/${service}`, { update_list: 'true' })
  // Bug 3: the list was not updated, and nobody gets to know.
  if (answer.status === 422) return console.warn(`Could not update the list of ${service}, never mind.`)
  if (answer.status !== 200) throw new Error(`The update was refused: ${answer.text}`)
}

const service = await order(101, 11)
await updateList(service)
console.log(`Service ${service} is ready.`)

// Orders a static proxy for a client, and updates its IP list. It works as long as nothing goes wrong.
//   npx proxysim sweep -- node provision.mjs
const { PROXYSIM_URL: url, PROXYSIM_LOGIN: login, PROXYSIM_PASSWORD: password } = process.env
const headers = {
  authorization: `Basic ${btoa(`${login}:${password}`)}`,
  accept: 'application/json',
  'content-type': 'application/json',
}

async function call(method, path, body) {
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  return { status: response.status, text, body: response.ok ? JSON.parse(text) : undefined }
}

async function order(product, clientid) {
  for (let attempt = 1; ; attempt++) {
    try {
      const { status, text, body } = await call('POST', `/api/product/${product}`, { clientid })
      if (status !== 200) throw new Error(`The order was refused: ${text}`)
      return body.serviceId
    } catch (error) {
      // Bug 1: the order may have been executed, but it is sent again.
      if (!(error instanceof TypeError) || attempt === 3) throw error
    }
  }
}

async function updateList(service) {
  let response = await call('PUT', `/api/service/${service}`, { update_list: 'true' })
  // Bug 2: the 429 says when to try again, but this tries again immediately.
  while (response.status === 429)
    response = await call('PUT', `/api/service/${service}`, { update_list: 'true' })
  // Bug 3: the list was not updated, but the program reports success.
  if (response.status === 422) return console.warn(`Could not update the IP list of service ${service}.`)
  if (response.status !== 200) throw new Error(`The update was refused: ${response.text}`)
}

const service = await order(101, 11)
await updateList(service)
console.log(`Service ${service} is ready.`)

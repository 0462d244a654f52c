// The same as provision.mjs, and it is right when things go wrong too.
//   npx proxysim sweep -- node provision-mended.mjs
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

/** @returns what was answered with 200; anything else is thrown */
async function need(method, path, body) {
  const answer = await ask(method, path, body)
  if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
  return answer.body
}

async function serviceIds() {
  return (await need('GET', '/api/services')).map(({ service_id }) => service_id)
}

async function order(product, clientid) {
  const before = await serviceIds()
  try {
    return (await need('POST', `/api/product/${product}`, { clientid })).serviceId
  } catch (error) {
    if (error.message.includes(' answered ')) throw error
    // Mended: the answer was lost, so look whether the order was carried out before it is sent again.
    const found = (await serviceIds()).find((id) => !before.includes(id))
    return found ?? (await need('POST', `/api/product/${product}`, { clientid })).serviceId
  }
}

async function updateList(service) {
  // Mended: a 429 and a 422 are failures like any other. The message has the time of the next attempt, for whoever runs us.
  await need('PUT', `/api/service/${service}`, { update_list: 'true' })
}

const service = await order(101, 11)
await updateList(service)
console.log(`Service ${service} is ready.`)

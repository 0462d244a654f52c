// bulk.mjs without its bug: it knows which services are its own.
//   npx proxysim sweep -- node bulk-fixed.mjs
const { PROXYSIM_URL: url, PROXYSIM_LOGIN: login, PROXYSIM_PASSWORD: password } = process.env
const headers = {
  authorization: `Basic ${btoa(`${login}:${password}`)}`,
  accept: 'application/json',
  'content-type': 'application/json',
}

/** Returns the body of a 200, and throws for any other response. */
async function call(method, path, body) {
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${method} ${path} responded with ${response.status}: ${text}`)
  return JSON.parse(text)
}

async function serviceIds() {
  return (await call('GET', '/api/services')).map(({ service_id }) => service_id)
}

/** The services that existed before, and those that were ordered. */
const known = await serviceIds()

async function order(product, clientid) {
  const id = await placeOrder(product, clientid)
  known.push(id)
  return id
}

async function placeOrder(product, clientid) {
  try {
    const { serviceId } = await call('POST', `/api/product/${product}`, { clientid })
    if (serviceId !== undefined) return serviceId
    throw new Error('The response to the order has no serviceId.')
  } catch (error) {
    const added = (await serviceIds()).find((id) => !known.includes(id))
    if (added === undefined) throw error // it was not carried out, as far as the list shows
    return added
  }
}

for (let i = 0; i < 3; i++) console.log(`Service ${await order(101, 11)} is ready.`)

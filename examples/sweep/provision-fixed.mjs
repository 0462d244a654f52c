// provision.mjs without its bugs: it handles every failure correctly.
//   npx proxysim sweep -- node provision-fixed.mjs
import { setTimeout as sleep } from 'node:timers/promises'

const { PROXYSIM_URL: url, PROXYSIM_LOGIN: login, PROXYSIM_PASSWORD: password } = process.env
const headers = {
  authorization: `Basic ${btoa(`${login}:${password}`)}`,
  accept: 'application/json',
  'content-type': 'application/json',
}

/** The service refused the request, so it changed nothing. */
class Refused extends Error {}

/** Returns the body of a 200, and throws for any other response. */
async function call(method, path, body) {
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  const message = `${method} ${path} responded with ${response.status}: ${text}`
  if (response.status >= 400 && response.status < 500) throw new Refused(message)
  if (response.status !== 200) throw new Error(message)
  return JSON.parse(text)
}

async function serviceIds() {
  return (await call('GET', '/api/services')).map(({ service_id }) => service_id)
}

async function order(product, clientid) {
  const before = await serviceIds()
  try {
    const { serviceId } = await call('POST', `/api/product/${product}`, { clientid })
    if (serviceId !== undefined) return serviceId
    throw new Error('The response to the order has no serviceId.')
  } catch (error) {
    if (error instanceof Refused) throw error
    // The order may have been executed, so look for it instead of ordering again. The list may lag behind, so look three
    // times.
    for (let attempt = 1; attempt <= 3; attempt++) {
      const found = (await serviceIds()).find((id) => !before.includes(id))
      if (found !== undefined) return found
      await sleep(200 * attempt)
    }
    throw error
  }
}

async function updateList(service) {
  // A 429 or 422 ends the program. Its message says when the list can be updated again.
  const result = await call('PUT', `/api/service/${service}`, { update_list: 'true' })
  if (!result.update_list?.success) throw new Error(`The list was not updated: ${JSON.stringify(result)}`)
}

const service = await order(101, 11)
await updateList(service)
console.log(`Service ${service} is ready.`)

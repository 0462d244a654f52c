// The same as provision.mjs, and it is right when things go wrong too.
//   npx proxysim sweep -- node provision-fixed.mjs
import { setTimeout as sleep } from 'node:timers/promises'

const { PROXYSIM_URL: url, PROXYSIM_LOGIN: login, PROXYSIM_PASSWORD: password } = process.env
const headers = {
  authorization: `Basic ${btoa(`${login}:${password}`)}`,
  accept: 'application/json',
  'content-type': 'application/json',
}

/** The service refused: nothing was changed. */
class Refused extends Error {}

/** @returns the body of a 200; anything else is thrown */
async function need(method, path, body) {
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  const message = `${method} ${path} responded with ${response.status}: ${text}`
  if (response.status >= 400 && response.status < 500) throw new Refused(message)
  if (response.status !== 200) throw new Error(message)
  return JSON.parse(text)
}

async function serviceIds() {
  return (await need('GET', '/api/services')).map(({ service_id }) => service_id)
}

async function order(product, clientid) {
  const before = await serviceIds()
  try {
    const { serviceId } = await need('POST', `/api/product/${product}`, { clientid })
    if (serviceId !== undefined) return serviceId
    throw new Error('The response to the order has no serviceId.')
  } catch (error) {
    if (error instanceof Refused) throw error
    // Mended: whether the order was executed is not known, so look for it. A list may lag behind: look again, and do not
    // order again in any case.
    for (let look = 1; look <= 3; look++) {
      const found = (await serviceIds()).find((id) => !before.includes(id))
      if (found !== undefined) return found
      await sleep(200 * look)
    }
    throw error
  }
}

async function updateList(service) {
  // Mended: a 429 and a 422 are failures like any other. The message has the time of the next attempt, for whoever runs us.
  const done = await need('PUT', `/api/service/${service}`, { update_list: 'true' })
  if (!done.update_list?.success) throw new Error(`The list was not updated: ${JSON.stringify(done)}`)
}

const service = await order(101, 11)
await updateList(service)
console.log(`Service ${service} is ready.`)

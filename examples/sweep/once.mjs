// Orders one static proxy for a client, however often it is run: what another run may have ordered is looked for first.
//   npx proxysim sweep --rerun -- node once.mjs
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

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

/** The ids of all services before the order. In production, keep them in a database. */
const note = `${process.env.PROXYSIM_RUN_DIR}/before-the-order.json`

/** Returns the service that an earlier run ordered, if any. */
async function findEarlierOrder() {
  if (!existsSync(note)) {
    writeFileSync(note, JSON.stringify(await serviceIds()))
    return undefined
  }
  const before = JSON.parse(readFileSync(note, 'utf8'))
  const findNew = async () => (await serviceIds()).find((id) => !before.includes(id))
  const found = await findNew()
  if (found !== undefined) return found
  await sleep(1000) // a list may lag behind
  return findNew()
}

async function order() {
  const { serviceId } = await call('POST', '/api/product/101', { clientid: 11 })
  if (serviceId === undefined) throw new Error('The response to the order has no serviceId.')
  return serviceId
}

console.log(`Service ${(await findEarlierOrder()) ?? (await order())} is ready.`)

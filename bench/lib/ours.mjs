// The product as it is built, in a process that a benchmark can ask.
import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { serve } from './serve.mjs'

const { BENCH_PRODUCT, BENCH_OPTIONS, BENCH_SERVICES } = process.env
const options = JSON.parse(BENCH_OPTIONS ?? '{}')
const { startServer } = await import(pathToFileURL(`${BENCH_PRODUCT}/dist/server.js`).href)
const running = await startServer(options)
const { store } = running.simulation
if (BENCH_SERVICES) await fill(Number(BENCH_SERVICES))

serve(running.url, running.close, { trim, 'outgrow the file': outgrow, 'file replaced': replaced })

/**
 * Copies a world's service until there are so many, each bound to an address of its own.
 * @param {number} size
 */
async function fill(size) {
  const [[login, world]] = Object.entries(store.state.accounts)
  const [[id, service]] = Object.entries(world.services)
  for (let i = 1; i < size; i++) {
    const copy = {
      ...service,
      orderid: service.orderid + i,
      bindedip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
    }
    store.change(login, world, { services: { [Number(id) + i]: copy } })
  }
  const { service: next, order } = world.next
  store.change(login, world, { next: { service: next + size, order: order + size } })
  await store.flushed()
}

/** What was ordered goes away again, so that each measurement starts from a world of the same size. */
async function trim() {
  for (const [login, world] of Object.entries(store.state.accounts)) {
    const born = Object.entries(world.invoices).filter(([, { description }]) =>
      / order \d+$/.test(description),
    )
    const services = Object.fromEntries(born.map(([, { serviceid }]) => [serviceid, null]))
    const invoices = Object.fromEntries(born.map(([id]) => [id, null]))
    if (born.length > 0) store.change(login, world, { services, invoices })
  }
  await store.flushed()
  return {}
}

/** Changes until the log is longer than the file, so that the file is replaced: at the next change. */
async function outgrow() {
  const [[login, world]] = Object.entries(store.state.accounts)
  const before = logs()
  const [id] = Object.keys(world.services)
  const { username } = world.services[id]
  while (logs().length === before.length && logs()[0] === before[0]) {
    store.change(login, world, { services: { [id]: { username: 'u'.repeat(100_000) } } })
    store.change(login, world, { services: { [id]: { username } } })
    await store.flushed()
    await new Promise(setImmediate) // a change under way keeps to its turn; the file is written in others
  }
  return {}
}

/** Resolves when no older log is left, and the file is therefore replaced. */
async function replaced() {
  while (logs().length > 1) await new Promise((resolve) => setTimeout(resolve, 1))
  return {}
}

function logs() {
  const start = `${basename(options.db)}.`
  return readdirSync(dirname(options.db)).filter((name) => name.startsWith(start) && name.endsWith('.log'))
}

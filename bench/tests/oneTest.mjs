// What a test does, as often as the parent says: a world made, an order, a read, the world taken away. With a simulator in its own
// process, or with a server in another. Run by plain node, so that nothing of tsx is in what is measured.
import { createServer } from 'node:http'
import { pathToFileURL } from 'node:url'

const { BENCH_PRODUCT, BENCH_OPTIONS, BENCH_BODY = '{}', BENCH_URL, BENCH_KIND = 'ours' } = process.env
/** What ours answers, for those that are told what to answer @type {{ order: object, list: object }} */
const { order, list } = JSON.parse(process.env.BENCH_ANSWERS ?? '{}')
const { url, close } = BENCH_URL
  ? { url: BENCH_URL, close: () => {} }
  : await (BENCH_KIND === 'bare' ? bare() : started())
const json = { 'content-type': 'application/json', accept: 'application/json' }

/**
 * A test calls `step` after each of its four steps.
 * @type {Record<string, (step: () => void, i: number) => Promise<void>>}
 */
const tests = {
  async ours(step) {
    const { login, authorization } = await ask('POST', '/__admin/accounts', BENCH_BODY)
    step()
    await ask('POST', '/api/product/302', '{"clientid":11}', authorization)
    step()
    await ask('GET', '/api/services', undefined, authorization)
    step()
    await ask('DELETE', `/__admin/accounts/${login}`)
    step()
  },

  /** All stubs at once, and all taken away again: one test at a time. */
  async 'stubs imported, reset'(step, i) {
    const authorization = `Basic test${i}`
    await ask('POST', '/__admin/mappings/import', JSON.stringify({ mappings: stubs(authorization) }))
    step()
    await ask('POST', '/api/product/302', '{"clientid":11}', authorization)
    step()
    await ask('GET', '/api/services', undefined, authorization)
    step()
    await ask('POST', '/__admin/reset')
    step()
  },

  /** Each test takes away what it made: several may run at once, as with ours. */
  async 'stubs made and deleted'(step, i) {
    const authorization = `Basic test${i}`
    const ids = []
    for (const stub of stubs(authorization))
      ids.push((await ask('POST', '/__admin/mappings', JSON.stringify(stub))).id)
    step()
    await ask('POST', '/api/product/302', '{"clientid":11}', authorization)
    step()
    await ask('GET', '/api/services', undefined, authorization)
    step()
    for (const id of ids) await ask('DELETE', `/__admin/mappings/${id}`)
    step()
  },

  async 'records made and deleted'(step, i) {
    const id = `test${i}`
    await ask('POST', '/accounts', JSON.stringify({ id, credit: 1000 }))
    step()
    await ask('POST', '/services', JSON.stringify({ ...order, accountId: id }))
    step()
    const { length } = await ask('GET', `/services?accountId=${id}`)
    if (length !== 1) throw new Error(`the list holds ${length} services instead of one`)
    step()
    await ask('DELETE', `/accounts/${id}?_dependent=services`)
    step()
  },
}

tests['bare'] = tests['ours']

const test = tests[BENCH_KIND]
if (!test) throw new Error(`there is no test ${BENCH_KIND}`)
let done = 0

/** @param {number} count @returns {Promise<number[][]>} milliseconds of each step, test by test */
async function run(count) {
  const times = []
  for (let i = 0; i < count; i++) {
    const at = [performance.now()]
    await test(() => at.push(performance.now()), ++done)
    times.push(at.slice(1).map((time, k) => time - at[k]))
  }
  return times
}

process.on('message', (count) => void run(Number(count)).then((times) => process.send?.(times)))
process.on('disconnect', () => void Promise.resolve(close()).then(() => process.exit(0)))
process.send?.('ready')

async function started() {
  const { startServer } = await import(pathToFileURL(`${BENCH_PRODUCT}/dist/server.js`).href)
  const running = await startServer(JSON.parse(BENCH_OPTIONS ?? '{}'))
  await running.simulation.validator
  return running
}

/** What `fetch` and node:http alone take: the same answer to everything, as short as a test can do with. */
async function bare() {
  const body = JSON.stringify({ login: 'test', authorization: 'Basic dGVzdDp0ZXN0' })
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  const server = createServer((req, res) => {
    req.on('data', () => {})
    req.on('end', () => res.writeHead(200, headers).end(body))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `http://127.0.0.1:${port}`, close: () => server.closeAllConnections() }
}

/**
 * What WireMock is to answer to one caller.
 * @param {string} authorization
 */
function stubs(authorization) {
  const headers = { Authorization: { equalTo: authorization } }
  const stub = (
    /** @type {string} */ method,
    /** @type {string} */ urlPath,
    /** @type {object} */ jsonBody,
  ) => ({
    request: { method, urlPath, headers },
    response: { status: 200, headers: { 'Content-Type': 'application/json' }, jsonBody },
  })
  return [stub('POST', '/api/product/302', order), stub('GET', '/api/services', list)]
}

/**
 * @param {string} method
 * @param {string} path
 * @param {string} [body]
 * @param {string} [authorization]
 */
async function ask(method, path, body, authorization) {
  const answer = await fetch(url + path, {
    method,
    headers: authorization === undefined ? json : { ...json, authorization },
    ...(body !== undefined && { body }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

// What a test does with a simulator in its own process: an account made, an order, a read, the account deleted. Run by
// plain node, so that nothing of tsx is in what is measured.
import { pathToFileURL } from 'node:url'

const { BENCH_PRODUCT, BENCH_OPTIONS, BENCH_BODY = '{}', BENCH_TESTS } = process.env
const { startServer } = await import(pathToFileURL(`${BENCH_PRODUCT}/dist/server.js`).href)
const { url, simulation, close } = await startServer(JSON.parse(BENCH_OPTIONS ?? '{}'))
await simulation.validator

const json = { 'content-type': 'application/json', accept: 'application/json' }

/** @type {number[][]} milliseconds of each step, test by test */
const tests = []
for (let i = 0; i < Number(BENCH_TESTS); i++) {
  const at = [performance.now()]
  const step = () => at.push(performance.now())
  const { login, authorization } = await ask('POST', '/__admin/accounts', { body: BENCH_BODY, headers: json })
  step()
  const headers = { ...json, authorization }
  await ask('POST', '/api/product/302', { body: '{"clientid":11}', headers })
  step()
  await ask('GET', '/api/services', { headers })
  step()
  await ask('DELETE', `/__admin/accounts/${login}`)
  step()
  tests.push(at.slice(1).map((time, k) => time - at[k]))
}
await close()
process.send?.(tests, () => process.exit(0))

/**
 * @param {string} method
 * @param {string} path
 * @param {{ body?: string, headers?: Record<string, string> }} [init]
 */
async function ask(method, path, init) {
  const answer = await fetch(url + path, { method, ...init })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.status === 204 ? undefined : await answer.json()
}

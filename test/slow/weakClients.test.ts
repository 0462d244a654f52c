/** Checks the verdicts of `sweep` on small clients whose first calls show one known weakness each, and on a correct one. */
import { expect, test } from 'vitest'
import type { SweepReport } from '../../src/lab/runs/sweepReport.ts'
import { cli, createClient } from '../cli/inProcess.ts'

/** The verdict on each fault; `else` is that on all others */
type Verdicts = Record<string, string>

const carriedOut = (verdict: string): Verdicts => ({
  lost: verdict,
  cut: verdict,
  'gateway-timeout': verdict,
  'no-response': verdict,
})

/** `ask` of createClient rejects if the response is not JSON. */
const helpers = `
const { existsSync, readFileSync, writeFileSync } = await import('node:fs')
const note = process.env.PROXYSIM_RUN_DIR + '/note'
const order = (more) => ask('POST', '/api/product/101', { clientid: 11, ...more })
const need = (isFine, what) => isFine || (console.error('failed:', what), process.exit(1))
const isNoJson = (error) => error instanceof SyntaxError
const placed = ({ status, body }) => need(status === 200 && body.serviceId, status)
`

const weak: [what: string, program: string, flags: string, verdicts: Verdicts][] = [
  // All faults; the other clients are swept with those that matter, and with two others.
  [
    'ignores all errors',
    'await order().catch(() => {})',
    '--faults *',
    { else: 'wrong-result', ...carriedOut('order-lost') },
  ],
  [
    'orders again when the connection breaks',
    'placed(await order().catch((error) => (isNoJson(error) ? Promise.reject(error) : order())))',
    '',
    {
      else: 'reported',
      truncate: 'ok',
      reset: 'ok',
      ...carriedOut('ordered-twice'),
      'gateway-timeout': 'order-lost',
    },
  ],
  [
    'looks at the status alone',
    `const sent = request(PROXYSIM_URL + '/api/product/101', { method: 'POST', headers })
sent.on('error', () => process.exit(1)).end('{"clientid":11}')
sent.on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))`,
    '',
    {
      else: 'reported',
      'not-json': 'wrong-result',
      'error-200': 'wrong-result',
      truncate: 'wrong-result',
      ...carriedOut('order-lost'),
    },
  ],
  [
    'calls again at once after a 429',
    `let { status, body } = await ask('GET', '/api/services')
if (status === 429) ({ status, body } = await ask('GET', '/api/services'))
need(status === 200 && Array.isArray(body), status)`,
    '',
    { else: 'reported', 'too-many-requests': 'bad-habit', stale: 'not-tried' },
  ],
  [
    'does not read the time in a 429',
    `const update = () => ask('PUT', '/api/service/5001', { update_list: 'true' })
let { status, body } = await update()
if (status === 429 && body.error.includes('possible')) ({ status, body } = await update())
need(status === 200 && body.update_list, status)`,
    '',
    { else: 'reported', 'update-list-throttled': 'bad-habit' },
  ],
  [
    'takes a failed update for done',
    `const { status, body } = await ask('PUT', '/api/service/5001', { setip: '203.0.113.9' })
need(status === 422 || (status === 200 && body.setip), status)`,
    '',
    {
      else: 'reported',
      unprocessable: 'wrong-result',
      'incorrect-posted-data': 'wrong-result',
      'invalid-ipv4': 'wrong-result',
      'ip-already-bound': 'wrong-result',
    },
  ],
  [
    'waits an hour after a 503',
    `const { status, body } = await ask('GET', '/api/services')
if (status === 503) await new Promise((done) => setTimeout(done, 3_600_000))
need(status === 200 && Array.isArray(body), status)`,
    '--timeout 8',
    { else: 'reported', 503: 'stuck', stale: 'not-tried' },
  ],
  [
    'gives up waiting for a slow order',
    `setTimeout(() => process.exit(1), 1500)
placed(await order())
process.exit()`,
    '',
    { slow: 'order-lost', else: 'reported' },
  ],
  [
    'always orders, and is run again',
    'placed(await order())',
    '--rerun',
    { else: 'ok', ...carriedOut('ordered-twice'), crash: 'ordered-twice' },
  ],
  [
    'forgets its order when the next call fails, and is run again',
    `const ordered = await order()
placed(ordered)
const { status, body } = await ask('PUT', '/api/service/' + ordered.body.serviceId, { password: btoa('new') })
need(status === 200 && body.password, status)`,
    '--rerun --only updateService',
    { else: 'ordered-twice' },
  ],
]

async function sweep(program: string, flags: string) {
  const client = createClient(helpers + program)
  const output = await cli(['sweep', '--json', ...flags.split(' ').filter(Boolean), '--', ...client])
  expect(output.stdout, output.stderr).not.toBe('')
  const { runs } = JSON.parse(output.stdout) as SweepReport
  return { ...output, runs }
}

test.each(weak)('sweeps a client that %s', async (_, program, flags, verdicts) => {
  const named = Object.keys(verdicts).filter((name) => name !== 'else')
  const faults = flags.includes('*') ? '' : `--faults ${['reset', 'unauthenticated', ...named].join()}`
  const { code, runs } = await sweep(program, `--quick ${flags.replace('--faults *', '')} ${faults}`)
  const expected = runs.map(({ fault }) => `${fault}: ${verdicts[fault] ?? verdicts['else']}`)
  expect(runs.map(({ fault, verdict }) => `${fault}: ${verdict}`)).toEqual(expected)
  expect(runs.map(({ fault }) => fault)).toEqual(expect.arrayContaining(named))
  expect(runs.length).toBeGreaterThan(named.length)
  expect(code).toBe(1)
})

test('reports nothing for a client that looks for an order before it repeats it, in the same run or the next', async () => {
  const { code, runs } = await sweep(
    `async function services() {
  const { status, body } = await ask('GET', '/api/services')
  need(status === 200 && Array.isArray(body), 'list: ' + status)
  return body.map(({ service_id }) => service_id)
}
const find = async (before) => (await services()).find((id) => !before.includes(id))
let before = existsSync(note) ? JSON.parse(readFileSync(note, 'utf8')) : undefined
let id = before && (await find(before))
if (!before) writeFileSync(note, JSON.stringify((before = await services())))
if (id === undefined) {
  const { status, body } = await order().catch(() => ({ status: 599 }))
  id = status < 500 ? body.serviceId : await find(before)
  need(id !== undefined, 'order: ' + status)
}
const { status, body } = await ask('PUT', '/api/service/' + id, { setip: '203.0.113.9' })
need(status === 200 && body.setip, 'update: ' + status)`,
    '--quick --rerun --only orderService updateService',
  )
  const wrong = runs.filter(({ verdict }) => !['ok', 'not-tried'].includes(verdict))
  expect(wrong.map(({ operation, fault, verdict }) => `${operation} ${fault}: ${verdict}`)).toEqual([])
  expect(code).toBe(0)
})

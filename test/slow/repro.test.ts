import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parseExampleCall } from '../../scripts/exampleCall.ts'
import { callByOperation } from '../support/callByOperation.ts'
import { small, two } from '../support/scenario.ts'
import {
  start,
  startForAll,
  type TestResponse,
  type CallOptions,
  type TestSimulator,
} from '../support/start.ts'

const run = promisify(execFile)

interface Repro {
  scenario: { description: string }
  curl: string
}

const other = startForAll({ scenario: 'empty' })

/** The parts of a response that a repetition must reproduce. */
const essence = ({ status, text, headers }: TestResponse<unknown>) => ({
  status,
  case: headers['sim-case'],
  body: text,
})

/** Repeats a request, by default the newest, in another simulator: loads its scenario, and runs its command in a shell. */
async function elsewhere(simulator: TestSimulator, { id = 0, form = 'json' } = {}) {
  const { admin } = simulator
  const { json } = await admin<{ requests: { id: number }[] }>('GET', '/requests?limit=1')
  const path = `/requests/${id || json.requests[0]?.id}/repro`
  const { json: repro, text } = await admin<Repro>('GET', path)
  const yaml = (await admin('GET', path, undefined, { headers: { accept: 'application/yaml' } })).text
  const loaded = await other().call('PUT', '/__admin/scenario', {
    raw: form === 'yaml' ? yaml : JSON.stringify(repro.scenario),
    headers: { 'content-type': `application/${form}` },
  })
  expect(loaded.status, loaded.text).toBe(200)
  const { stdout } = await run('sh', [
    '-c',
    `${repro.curl.replaceAll(simulator.url, other().url)} -s --noproxy '*'`,
  ])
  const [head = '', ...rest] = stdout.split('\r\n\r\n')
  const answer = {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
    case: /^sim-case: (.+)$/im.exec(head)?.[1]?.trim(),
    body: rest.join('\r\n\r\n'),
  }
  return { answer, text }
}

test.each<[method: string, path: string, body?: object]>([
  callByOperation.getService,
  callByOperation.orderService,
  callByOperation.rotateStickySession,
  ['PUT', '/api/service/5001', { password: 'c2VjcmV0', setip: '192.0.2.33' }],
])('%s %s in the middle of others gets the same response elsewhere', async (method, path, body) => {
  const simulator = await start({ scenario: small })
  const { admin, call } = simulator
  await admin('POST', '/faults', { operation: 'listClients', respond: 'unauthenticated', times: 1 })
  await call('POST', '/api/product/201', { body: { clientid: 11 } })
  const answered = await call(method, path, body && { body })
  expect(answered.status).toBe(200)
  const refused = await call('GET', '/api/clients')
  expect(refused.headers['sim-case']).toBe('unauthenticated')
  expect((await elsewhere(simulator, { id: 2 })).answer).toEqual(essence(answered))
  expect((await elsewhere(simulator, { id: 3 })).answer).toEqual(essence(refused))
})

const shipped = readdirSync('scenarios')
  .map((file) => basename(file, '.yaml'))
  .filter((name) => name !== 'large')

test.each(shipped)('the call in the description of the scenario %s is reproduced', async (name) => {
  const simulator = await start({ scenario: name })
  const { description } = (await simulator.simulation.store.scenario()).document
  const shown = parseExampleCall(description)
  if (!shown) throw new Error(`${name} names no call`)
  const { method, path, body, credentials = { login: 'reseller', password: 'secret' } } = shown
  const authorization = `Basic ${btoa(`${credentials.login}:${credentials.password}`)}`
  const answered = await simulator
    .call(method, path, { headers: { authorization }, ...(body !== undefined && { raw: body }) })
    .catch(() => undefined)
  if (!answered) return // its response was lost, as the scenario says
  expect((await elsewhere(simulator, { form: 'yaml' })).answer).toEqual(essence(answered))
})

const wrong = `Basic ${btoa('reseller:hunter2')}`
test.each<[method: string, path: string, headers: Record<string, string>, body?: object]>([
  ['GET', '/api/clients', { authorization: 'Bearer hunter2' }],
  ['GET', '/api/clients', { authorization: 'Basic hunter2' }],
  ['GET', '/api/clients', {}],
  ['GET', '/api/clients', { authorization: wrong, cookie: 'hunter2' }],
  ['GET', '/api/billing/credit?password=hunter2', { authorization: wrong }],
  ['PUT', '/api/service/5001', { authorization: wrong }, { password: 'hunter2' }],
])('a refusal for wrong credentials is reproduced without showing them: %s %s %j', async (...sent) => {
  const [method, path, headers, body] = sent
  const simulator = await start({ scenario: two })
  const answered = await simulator.call(method, path, { login: null, headers, ...(body && { body }) })
  const { answer, text } = await elsewhere(simulator)
  expect(answer).toEqual(essence(answered))
  expect(text).not.toMatch(/hunter2/)
})

test.each([
  ['a body that curl would take for a file', 'POST', '/api/product/101', '@body.json'],
  ['a body of several lines', 'POST', '/api/product/101', '{\r\n"clientid": 11}\n'],
  ['HEAD with a body', 'HEAD', '/api/clients', '{"a":1}'],
  ['a chunked body without a byte', 'POST', '/api/product/101', ''],
  ['a chunked body without a byte, of a GET', 'GET', '/api/product/abc', ''],
  ['a query with a secret', 'GET', '/api/clients?password=hunter2&page=2', ''],
])('%s is reproduced', async (_, method, path, raw) => {
  const simulator = await start({ scenario: small })
  const chunked = raw === '' ? { 'transfer-encoding': 'chunked', 'content-length': undefined } : {}
  const answered = await simulator.call(method, path, { raw, headers: chunked })
  const { answer, text } = await elsewhere(simulator)
  expect(answer).toEqual(essence(answered))
  expect(text).not.toContain('hunter2')
})

test('a request that is not there cannot be reproduced', async () => {
  const simulator = await start({ scenario: small })
  expect((await simulator.admin('GET', '/requests/1/repro')).status).toBe(404)
})

const xs = (length: number) => 'x'.repeat(length)
test.each<[what: string, status: number, options: CallOptions]>([
  ['too long to keep', 200, { raw: `{"clientid":11,"x":"${xs(40_000)}"}` }],
  ['in an unknown encoding', 422, { raw: '{"clientid":11}', headers: { 'content-encoding': 'zstd' } }],
  ['of more than a megabyte', 422, { raw: `{"x":"${xs(1_100_000)}"}` }],
  ['in Latin-1', 422, { raw: Buffer.from('{"clientid":11,"x":"\xe9"}', 'latin1') }],
  ['with a NUL after the JSON', 422, { raw: '{"clientid":11}\0' }],
])('a request with a body %s cannot be reproduced', async (_, status, options) => {
  const simulator = await start({ scenario: small })
  expect((await simulator.call('POST', '/api/product/101', options)).status).toBe(status)
  expect(await simulator.admin('GET', '/requests/1/repro')).toMatchObject({
    status: 409,
    json: { error: expect.stringContaining('Request 1 cannot be reproduced: its body was') as string },
  })
})

const accept = "-H 'accept: application/json'"
const typed = `${accept} -H 'content-type: application/json'`
test.each<[method: string, path: string, options: CallOptions, outcome: string, flags: string]>([
  [
    'POST',
    '/api/product/101',
    { body: { clientid: 11 } },
    ' {"clientid":11} is refused with insufficient-funds',
    `-u 'reseller:secret' ${typed} --data-raw '{"clientid":11}'`,
  ],
  ['GET', '/api/clients', {}, ' returns 200', `-u 'reseller:secret' ${accept}`],
  ['GET', '/api/billing/credit', {}, ' was dropped', `-u 'reseller:secret' ${accept}`],
  [
    'PUT',
    '/api/service/5001',
    { raw: "it's" },
    ' is refused with incorrect-posted-data',
    String.raw`-u 'reseller:secret' ${typed} --data-raw 'it'\''s'`,
  ],
  [
    'GET',
    '/api/clients',
    { login: null, headers: { accept: undefined } },
    ' is refused with unauthenticated',
    `-u 'reseller:wrong-password' -H 'accept:'`,
  ],
])('%s %s %j is explained in description and command', async (method, path, options, outcome, flags) => {
  const { admin, call, url } = await start({ scenario: 'low-funds' })
  await admin('POST', '/faults', { operation: 'getCredit', drop: 'empty' })
  await call(method, path, options).catch(() => undefined)
  expect((await admin('GET', '/requests/1/repro')).json).toMatchObject({
    scenario: {
      description: `Reproduces request 1 with the logins, passwords and tokens of this scenario: ${method} ${path}${outcome}.`,
    },
    curl: `curl -i -g --path-as-is -X ${method} ${flags} '${url}${path}'`,
  })
})

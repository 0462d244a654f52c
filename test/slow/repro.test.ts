import { execFile } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, test } from 'vitest'
import { parse } from 'yaml'
import { casesByOperation } from '../../src/contract/cases.gen.ts'
import { exampleCall } from '../../scripts/exampleCall.ts'
import { adminOf, small, two, type Admin } from '../support/admin.ts'
import { callByOperation } from '../support/callByOperation.ts'
import { folder, start, startForAll, type CallOptions, type Started } from '../support/start.ts'

const run = promisify(execFile)

interface Repro {
  scenario: { description: string }
  curl: string
}

interface Answer {
  status: number
  case: string | undefined
  body: string
}

/** Runs a curl command against another simulator, as a shell would. */
async function make(curl: string, from: string, to: string): Promise<Answer> {
  const { stdout } = await run('sh', ['-c', `${curl.replaceAll(from, to)} -s --noproxy '*'`])
  const [head = '', ...rest] = stdout.split('\r\n\r\n')
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
    case: /^sim-case: (.+)$/im.exec(head)?.[1]?.trim(),
    body: rest.join('\r\n\r\n'),
  }
}

const pairs = Object.entries(casesByOperation).flatMap(([operation, cases]) =>
  cases.map((name): [string, string] => [operation, name]),
)

const calls: Record<string, [method: string, path: string, body?: object]> = {
  ...callByOperation,
  updateService: [
    'PUT',
    '/api/service/5001',
    { password: 'c2VjcmV0', setip: '192.0.2.33', update_list: 'true' },
  ],
}

/** The newest request, reproduced in another simulator. */
async function elsewhere(
  simulator: Started,
  admin: Admin,
  other: Started,
  form: 'json' | 'yaml',
): Promise<Answer> {
  const { json } = await admin<{ requests: { id: number }[] }>('GET', '/requests?limit=1')
  const path = `/requests/${json.requests[0]?.id}/repro`
  const { json: repro } = await admin<Repro>('GET', path)
  const yaml = (await admin('GET', path, undefined, { headers: { accept: 'application/yaml' } })).text
  const loaded = await other.call('PUT', '/__admin/scenario', {
    raw: form === 'yaml' ? yaml : JSON.stringify(repro.scenario),
    headers: { 'content-type': `application/${form}` },
  })
  expect(loaded.status, loaded.text).toBe(200)
  return make(repro.curl, simulator.url, other.url)
}

describe('a reproduced request gets the same status, body and case elsewhere', () => {
  const simulator = startForAll({ scenario: small })
  const other = startForAll({ scenario: two })
  const admin = adminOf(simulator)

  it.each(Object.keys(calls))('%s, without a fault, in the middle of others', async (operation) => {
    await admin('POST', '/reset')
    await simulator().call('POST', '/api/product/201', { body: { clientid: 11 } })
    const [method, path, body] = calls[operation] as [string, string, object?]
    const { status, text, headers } = await simulator().call(method, path, body && { body })
    expect(status).toBe(200)
    await simulator().call('POST', '/api/product/101', { body: { clientid: 11 } })
    await simulator().call('GET', '/api/clients')
    const { json } = await admin<{ requests: { id: number }[] }>('GET', `/requests?operation=${operation}`)
    const id = json.requests.at(operation === 'orderService' ? 1 : 0)?.id
    const { json: repro } = await admin<Repro>('GET', `/requests/${id}/repro`)
    await other().call('PUT', '/__admin/scenario', { body: repro.scenario })
    expect(await make(repro.curl, simulator().url, other().url)).toEqual({
      status,
      body: text,
      case: headers['sim-case'],
    })
  })

  it.each(pairs)('%s: %s, forced by a fault', async (operation, name) => {
    await admin('POST', '/reset')
    await admin('POST', '/faults', { operation, respond: name, times: 2, after: 1 })
    const [method, path, body] = calls[operation] as [string, string, object?]
    await simulator().call(method, path, body && { body })
    const { status, text, headers } = await simulator().call(method, path, body && { body })
    expect(headers['sim-case']).toBe(name)
    expect(await elsewhere(simulator(), admin, other(), 'json')).toEqual({ status, body: text, case: name })
  })
})

const shipped = readdirSync('scenarios')
  .map((file) => basename(file, '.yaml'))
  .filter((name) => !['large'].includes(name))

test.each(shipped)('the call in the description of the scenario %s is reproduced', async (name) => {
  const simulator = await start({ scenario: name })
  const admin = adminOf(() => simulator)
  const other = await start({ scenario: 'empty' })
  const { scenario } = (await admin<{ scenario: string }>('GET', '/health')).json
  expect(scenario).toBe(name)
  const { description } = parse(
    (await admin('GET', '/scenario', undefined, { headers: { accept: 'application/yaml' } })).text,
  ) as { description: string }
  const shown = exampleCall(description)
  if (!shown) throw new Error(`${name} names no call`)
  const { method, path, body, credentials = { login: 'reseller', password: 'secret' } } = shown
  const answered = await simulator
    .call(method, path, {
      headers: {
        authorization: `Basic ${Buffer.from(`${credentials.login}:${credentials.password}`).toString('base64')}`,
      },
      ...(body !== undefined && { raw: body }),
    })
    .catch(() => undefined)
  if (!answered) return // its answer was lost, as the scenario says
  const again = await elsewhere(simulator, admin, other, 'yaml')
  expect(again).toEqual({ status: answered.status, body: answered.text, case: answered.headers['sim-case'] })
})

test('a refusal for wrong credentials is reproduced without showing them', async () => {
  const simulator = await start({ scenario: small })
  const admin = adminOf(() => simulator)
  const other = await start({ scenario: 'empty' })
  const wrong = `Basic ${btoa('reseller:hunter2')}`
  const sent: [method: string, path: string, headers: Record<string, string>, body?: object][] = [
    ['GET', '/api/clients', { authorization: 'Bearer hunter2' }],
    ['GET', '/api/clients', { authorization: 'Basic hunter2' }],
    ['GET', '/api/clients', {}],
    ['GET', '/api/clients', { authorization: wrong }],
    ['GET', '/api/billing/credit?password=hunter2', { authorization: wrong }],
    ['PUT', '/api/service/5001', { authorization: wrong }, { password: 'hunter2' }],
    ['GET', '/api/clients', { authorization: wrong, cookie: 'hunter2' }],
  ]
  for (const [method, path, extra, body] of sent) {
    const { status, text, headers } = await simulator.call(method, path, {
      login: null,
      headers: extra,
      ...(body && { body }),
    })
    expect(await elsewhere(simulator, admin, other, 'json')).toEqual({
      status,
      body: text,
      case: headers['sim-case'],
    })
    const { json } = await admin<{ requests: { id: number }[] }>('GET', '/requests?limit=1')
    expect((await admin('GET', `/requests/${json.requests[0]?.id}/repro`)).text).not.toMatch(/hunter2/)
  }
})

test('a secret in the query of a request is not in its reproduction', async () => {
  const simulator = await start({ scenario: small })
  const admin = adminOf(() => simulator)
  const other = await start({ scenario: 'empty' })
  const { status, text } = await simulator.call('GET', '/api/clients?password=hunter2&page=2')
  expect(await elsewhere(simulator, admin, other, 'json')).toMatchObject({ status, body: text })
  const repro = await admin('GET', '/requests/1/repro')
  expect(repro.text).not.toMatch(/hunter2/)
  expect(repro.text).toMatch(/page=2/)
})

test.each([
  ['a body that curl would take for a file', 'POST', '/api/product/101', '@body.json'],
  ['a body of several lines', 'POST', '/api/product/101', '{\r\n"clientid": 11}\n'],
  ['HEAD with a body', 'HEAD', '/api/clients', '{"a":1}'],
  ['a chunked body without a byte', 'POST', '/api/product/101', ''],
  ['a chunked body without a byte, of a GET', 'GET', '/api/product/abc', ''],
])('%s is reproduced', async (_, method, path, raw) => {
  const simulator = await start({ scenario: small })
  const admin = adminOf(() => simulator)
  const other = await start({ scenario: 'empty' })
  const chunked = raw === '' ? { 'transfer-encoding': 'chunked', 'content-length': undefined } : {}
  const { status, text, headers } = await simulator.call(method, path, { raw, headers: chunked })
  const again = await elsewhere(simulator, admin, other, 'json')
  expect(again).toEqual({ status, body: text, case: headers['sim-case'] })
})

test('a request that cannot be reproduced is refused', async () => {
  const simulator = await start({ scenario: small, journal: 1 })
  const admin = adminOf(() => simulator)
  expect((await admin('GET', '/requests/1/repro')).status).toBe(404)
  await simulator.call('GET', '/api/clients')
  await simulator.call('POST', '/api/product/101', { raw: `{"clientid":11,"x":"${'x'.repeat(40_000)}"}` })
  expect(await admin('GET', '/requests/2/repro')).toMatchObject({
    status: 409,
    json: {
      error: expect.stringContaining('Request 2 cannot be reproduced: its body was too long') as string,
    },
  })
})

test.each<[string, CallOptions]>([
  ['in an unknown encoding', { raw: '{"setip":"203.0.113.5"}', headers: { 'content-encoding': 'zstd' } }],
  ['of more than a megabyte', { raw: `{"x":"${'y'.repeat(1_100_000)}"}` }],
  ['in Latin-1', { raw: Buffer.from('{"setip":"203.0.113.5","x":"\xe9"}', 'latin1') }],
  ['with a NUL after the JSON', { raw: '{"setip":"203.0.113.5"}\0' }],
])('a body %s is refused, and cannot be reproduced', async (_, options) => {
  const simulator = await start({ scenario: small })
  const admin = adminOf(() => simulator)
  expect((await simulator.call('PUT', '/api/service/5001', options)).status).toBe(422)
  const { status, text } = await admin('GET', '/requests/1/repro')
  expect(status).toBe(409)
  expect(text).toContain('unreadable, or has a NUL character')
})

test('the scenario passes `proxysim check`, and its description has the call', async () => {
  const simulator = await start({ scenario: 'low-funds' })
  const admin = adminOf(() => simulator)
  await simulator.call('POST', '/api/product/101', { body: { clientid: 11 } })
  const { text } = await admin('GET', '/requests/1/repro', undefined, {
    headers: { accept: 'application/yaml' },
  })
  const file = join(folder(), 'repro.yaml')
  writeFileSync(file, text)
  const again = await start({ scenario: file })
  const { description } = (await again.simulation.store.scenario()).document
  expect(exampleCall(description)).toMatchObject({
    method: 'POST',
    path: '/api/product/101',
    case: 'insufficient-funds',
  })
})

import { describe, expect, test } from 'vitest'
import { adminContract } from '../../src/admin/adminContract.ts'
import type { Issue } from '../../src/Issue.ts'
import { adminOf, small } from '../support/admin.ts'
import { start, startForAll } from '../support/start.ts'

const contract = await adminContract()
const operations = contract.operations.map(({ operationId, method, path, bodyTypes, bodyRequired }) => ({
  operationId,
  method,
  path: path
    .replace('/__admin', '')
    .replace('{login}', 'reseller')
    .replace(/\{\w+\}/, 'x1'),
  bodyTypes,
  bodyRequired,
}))
const withBody = operations.filter(({ bodyTypes }) => bodyTypes.length > 0)
/** Those whose fields are few and short */
const smallBodies = ['createAccount', 'setClock', 'advanceClock', 'waitForRequests']

describe('invalid input changes nothing and is explained', () => {
  const simulator = startForAll({ scenario: small })
  const admin = adminOf(simulator)
  const state = async (): Promise<string> => (await admin('GET', '/scenario')).text

  test.each(operations)('$operationId: an unknown parameter', async ({ method, path }) => {
    const before = await state()
    const { status, text } = await admin(method, `${path}?limmit=1`)
    expect(status).toBe(400)
    expect(text).toContain('limmit')
    expect(await state()).toBe(before)
  })

  test.each(withBody)('$operationId: not JSON', async ({ method, path }) => {
    const before = await state()
    for (const raw of ['{', '{"a":', 'nonsense: [', '\u0000']) {
      const { status, json } = await admin<{ error: string; details: object[] }>(method, path, undefined, {
        raw,
      })
      expect(status, raw).toBe(400)
      expect(json.details.length).toBeGreaterThan(0)
    }
    expect(await state()).toBe(before)
  })

  test.each(withBody)('$operationId: not UTF-8', async ({ method, path, bodyTypes }) => {
    const before = await state()
    const raw = Buffer.from('{"description":"caf\xe9"}', 'latin1')
    for (const type of bodyTypes) {
      const { status, text } = await admin(method, path, undefined, {
        raw,
        headers: { 'content-type': type },
      })
      expect(status).toBe(400)
      expect(text).toContain('not UTF-8 text')
    }
    expect(await state()).toBe(before)
  })

  test.each(withBody)('$operationId: JSON that is not an object', async ({ method, path }) => {
    const before = await state()
    for (const raw of [
      '[]',
      '5',
      '"x"',
      'null',
      'true',
      `${'['.repeat(5000)}${']'.repeat(5000)}`,
      `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
    ]) {
      const { status } = await admin(method, path, undefined, { raw })
      expect(status, raw.slice(0, 20)).toBe(400)
    }
    expect(await state()).toBe(before)
  })

  test.each(withBody)('$operationId: another content type', async ({ method, path }) => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const { status, text } = await admin(method, path, undefined, {
        raw: 'a=1',
        headers: { 'content-type': type },
      })
      expect(status).toBe(400)
      expect(text).toContain('application/json')
    }
  })

  test.each(withBody.filter(({ operationId }) => operationId !== 'putScenario'))(
    '$operationId: more bytes than a body may have',
    async ({ method, path, operationId }) => {
      const most = smallBodies.includes(operationId) ? 65_536 : 1_048_576
      const { status, text } = await admin(method, path, undefined, { raw: `{"a":"${'x'.repeat(most)}"}` })
      expect(status).toBe(400)
      expect(text).toContain(`larger than ${most} bytes`)
    },
  )

  test.each(withBody.filter(({ bodyRequired }) => bodyRequired))(
    '$operationId: no body',
    async ({ method, path }) => {
      const { status, text } = await admin(method, path)
      expect(status).toBe(400)
      expect(text).toContain('body')
    },
  )

  test.each(operations.filter(({ bodyTypes }) => bodyTypes.length === 0))(
    '$operationId: a body that it does not take',
    async ({ method, path }) => {
      const before = await state()
      const json = 'application/json'
      const sent: [raw: string, type?: string, encoding?: string][] = [
        ['{"account":"nobody"}', json],
        ['[]', json],
        ['garbage'],
        ['a text', 'text/plain'],
        ['{}', json, 'unknown'],
        [`{"a":"${'x'.repeat(1_500_000)}"}`, json],
      ]
      for (const [raw, type, encoding] of sent) {
        const headers = { 'content-type': type, 'content-encoding': encoding }
        const { status, text } = await admin(method, path, undefined, { raw, headers })
        expect(status, raw.slice(0, 20)).toBe(400)
        expect(text).toContain('there is a body, and this operation takes none: leave it out')
      }
      expect(await state()).toBe(before)
    },
  )

  test.each(operations)('$operationId: another method', async ({ path }) => {
    const { status, headers, json } = await simulator().call<{ error: string }>('PROPFIND', `/__admin${path}`)
    expect(status).toBe(405)
    expect(headers.allow).toMatch(/^[A-Z, ]+$/)
    expect(json.error).toContain(headers.allow)
  })

  test.each(['/nope', '', '/', '/health/', '/HEALTH', '/accounts//tokens', '/accounts/a/b', '/%'])(
    'no such path: %s',
    async (path) => {
      const { status, json } = await simulator().call<{ error: string }>('GET', `/__admin${path}`)
      expect(status).toBe(404)
      expect(json.error).toContain('Not Found')
    },
  )

  test('HEAD is GET without a body', async () => {
    for (const path of ['/health', '/events', '/scenario']) {
      const { status, text } = await simulator().call('HEAD', `/__admin${path}`)
      expect({ status, text }).toEqual({ status: 200, text: '' })
    }
  })

  test.each(['', '{}', ' {}\n'])('a body that says nothing is none: %j', async (raw) => {
    expect((await admin('POST', '/snapshots', undefined, { raw })).status).toBe(201)
  })

  test.each(['/scenarios/empty/load', '/accounts', '/snapshots'])(
    'an account that would not be the only one to change: POST %s',
    async (path) => {
      const before = await state()
      const { status, text } = await admin('POST', `${path}?account=reseller`)
      expect(status).toBe(400)
      expect(text).toContain('account')
      expect(await state()).toBe(before)
    },
  )

  test.each([
    ['PATCH', '/accounts/reseller', '{"credit":1,"credit":2}'],
    ['PATCH', '/accounts/reseller', '{"services":{"__proto__":{"status":"Fraud"}}}'],
    ['POST', '/faults', '{"operation":"getCredit","delay":1,"operation":"getRate"}'],
    ['POST', '/accounts', '{"login":"a","login":"b"}'],
    ['POST', '/clock/advance', '{"by":"PT1H","by":"PT2H"}'],
  ])('a key that JSON.parse would drop: %s %s %s', async (method, path, raw) => {
    const before = await state()
    const { status, text } = await admin(method, path, undefined, { raw })
    expect(status).toBe(400)
    expect(text).toMatch(/appears twice|is not allowed/)
    expect(await state()).toBe(before)
  })

  test('a parameter twice', async () => {
    expect((await admin('GET', '/requests?limit=1&limit=2')).status).toBe(400)
  })
})

test('an optional body may be left out with its content type, as curl -X POST does', async () => {
  const simulator = await start({ scenario: small })
  const admin = adminOf(() => simulator)
  const bare = { headers: { 'content-type': undefined } }
  for (const [path, status] of [
    ['/reset', 200],
    ['/snapshots', 201],
    ['/accounts', 201],
    ['/accounts/reseller/tokens', 201],
    ['/scenarios/default/load', 200],
  ] as const)
    expect((await admin('POST', path, undefined, bare)).status, path).toBe(status)
  const empty = { raw: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  expect((await admin('POST', '/accounts', undefined, empty)).status).toBe(201)
  const untyped = { raw: '{"by":"PT1H"}', headers: { 'content-type': undefined } }
  expect((await admin('POST', '/clock/advance?account=reseller', undefined, untyped)).status).toBe(200)
})

test.each([
  ['GET', '/requests?limit=-1', undefined, 'limit: must be a whole number, 0 to 999999999, in digits only'],
  ['GET', '/requests?status=abc', undefined, 'status: must be a status such as 422, or a class such as 4xx'],
  ['PUT', '/clock', {}, 'the body must have at least one field'],
  ['POST', '/requests/wait', { timeout: -1 }, 'timeout: must be >= 0'],
  ['POST', '/accounts', { login: 5 }, 'login: must be string'],
  ['POST', '/clock/advance', { at: 'PT1H' }, 'at: there is no field "at" (allowed: by)'],
] as const)('%s %s says in plain words what is wrong', async (method, path, body, said) => {
  const simulator = await start()
  const { status, json } = await adminOf(() => simulator)<{ error: string; details: [Issue] }>(
    method,
    path,
    body,
  )
  expect(status).toBe(400)
  expect(json.error).toBe(`The request is invalid. ${said}`)
  const [{ path: field, message }] = json.details
  expect(field ? `${field}: ${message}` : message).toBe(said)
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AccountState, CoverageReport, RequestPage } from '../../src/contract/shapes.ts'
import type { Overrides } from '../../src/http/overrides.ts'
import { startServer } from '../../src/server.ts'
import { small } from '../support/scenario.ts'
import { createFolder, start, getWorld } from '../support/start.ts'

async function startOverridden(overrides: Overrides) {
  const simulator = await start({ scenario: small, overrides, mayViolate: true })
  const entry = async () => (await simulator.admin<RequestPage>('GET', '/requests?limit=1')).json.requests[0]
  return { ...simulator, entry }
}

const order = { body: { clientid: 11 } }

test('an override changes the response; the journal has its violations, and coverage counts it', async () => {
  const { call, entry, admin } = await startOverridden({
    getCredit: (_call, original) => {
      const response = original()
      return { ...response, body: { credit: `${response.body.credit} USD` }, headers: { 'X-A': [1, 'b'] } }
    },
  })
  const { status, text, headers } = await call('GET', '/api/billing/credit')
  expect({ status, text }).toEqual({ status: 200, text: '{"credit":"100 USD"}' })
  expect(headers).toMatchObject({ 'x-a': '1, b', 'content-type': 'application/json; charset=utf-8' })
  expect(await entry()).toMatchObject({
    overridden: true,
    forced: false,
    violations: ['credit must be number'],
  })
  await call('GET', '/api/clients')
  expect(await entry()).not.toHaveProperty('overridden')
  const { json } = await admin<CoverageReport>('GET', '/coverage')
  expect(json.operations.find(({ operation }) => operation === 'getCredit')?.responses).toMatchObject([
    { hits: 1 },
  ])
})

test('an override gets the call, and the frozen state of the account before it', async () => {
  let received:
    | { path: unknown; query: unknown; body: unknown; now: string; account: AccountState }
    | undefined
  const { call } = await startOverridden({
    orderService: (given, original) => {
      received = given
      return original()
    },
  })
  await call('POST', '/api/product/101?a=1', order)
  expect(received).toMatchObject({ path: { pid: '101' }, query: { a: '1' }, body: order.body })
  expect(received?.now).toBe('2026-01-15T12:00:00.000Z')
  expect(received?.account).toMatchObject({ credit: 100, clock: { now: received?.now } })
  expect(Object.isFrozen(received?.account.services)).toBe(true)
})

test('the operation is executed once, however often original is called', async () => {
  const simulator = await startOverridden({
    orderService: (_call, original) => {
      original()
      const { body } = original()
      ;(body as { amount: number }).amount = 0 // a copy
      return original()
    },
    updateService: () => ({ status: 200, body: {} }),
  })
  const { json } = await simulator.call('POST', '/api/product/101', order)
  expect(json).toMatchObject({ amount: 20 })
  expect(getWorld(simulator).credit).toBe(80)
  await simulator.call('PUT', '/api/service/5001', { body: { setip: '192.0.2.77' } })
  expect(getWorld(simulator).services[5001]).toMatchObject({ bindedip: '192.0.2.77' })
})

test.each<[string, Overrides['orderService']]>([
  ['responds with an error', () => ({ status: 502, body: { error: 'Bad Gateway' } })],
  ['responds with 200 and an error', () => ({ status: 200, body: { error: 'Internal error' } })],
  [
    'fails',
    () => {
      throw new Error('boom')
    },
  ],
])('an order is orphaned if its override %s', async (_what, orderService) => {
  const { call, admin } = await startOverridden({ orderService } as Overrides)
  await call('POST', '/api/product/101', order)
  const findings = (await admin<{ finding: string }[]>('GET', '/findings')).json
  expect(findings.map(({ finding }) => finding)).toEqual(['order-lost'])
})

test('overrides can change refusals by the operation, but not earlier ones; a fault replaces their response', async () => {
  const { call, admin, entry } = await startOverridden({
    getProduct: (_call, original) => ({ ...original(), status: 404 }),
    getIpList: (_call, original) => ({ ...original(), body: `${original().body as string}\n# end` }),
    getCredit: () => ({ status: 204 }),
    getStats: () => ({ status: 205, body: { lost: true } }),
  })
  expect((await call('GET', '/api/product/999')).status).toBe(404)
  expect(await entry()).toMatchObject({ overridden: true, status: 404, case: null })
  expect((await call('GET', '/api/product/101', { login: null })).status).toBe(401)
  const list = await call('GET', '/api/iplist/http-auth/csv/5001')
  expect(list.text).toMatch(/# end$/)
  expect(list.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(await call('GET', '/api/billing/credit')).toMatchObject({ status: 204, text: '' })
  const stats = await call('GET', '/api/stats/5002')
  expect([stats.status, stats.text]).toEqual([205, ''])
  await admin('POST', '/faults', { operation: 'getCredit', phase: 'after', respond: { status: 503 } })
  expect((await call('GET', '/api/billing/credit')).status).toBe(503)
})

const wrong: [what: string, override: () => unknown, message: string][] = [
  [
    'throws',
    () => {
      throw new TypeError('boom')
    },
    'boom',
  ],
  ['returns a Promise', () => Promise.reject(new Error('x')), 'it returned a Promise'],
  ['has a wrong status', () => ({ status: '200' }), 'a status from 200 to 599'],
  [
    'has a circular body',
    () => {
      const a: object[] = []
      a.push(a)
      return { status: 200, body: a }
    },
    'circular',
  ],
  [
    'has a header that breaks the line',
    () => ({ status: 200, headers: { a: 'b\r\nc: d' } }),
    'its header "a" can\'t be sent',
  ],
]
test.each(wrong)('an override that %s causes a 500 with the reason', async (_what, override, message) => {
  const { call, entry } = await startOverridden({ getCredit: override as never })
  const { status, json, headers } = await call<{ error: string }>('GET', '/api/billing/credit')
  expect([status, headers['sim-case']]).toEqual([500, 'override-failed'])
  expect(json.error).toMatch(/^The override getCredit in the option overrides failed: /)
  expect(json.error).toContain(message)
  expect(await entry()).toMatchObject({ status: 500, case: 'override-failed', overridden: true })
})

describe('a file', () => {
  const file = (text: string, name = 'override.mjs'): string => {
    const path = join(createFolder(), name)
    writeFileSync(path, text)
    return path
  }

  test('exports overrides; messages contain its name', async () => {
    const overrides = file("export const getCredit = () => { throw new Error('boom') }")
    const { call } = await start({ scenario: small, overrides, mayViolate: true })
    const { text } = await call('GET', '/api/billing/credit')
    expect(text).toBe(JSON.stringify({ error: `The override getCredit in ${overrides} failed: boom` }))
  })

  test.each([
    ['export const getCredits = () => {}', 'Unknown operation "getCredits". Did you mean "getCredit"?'],
    ['export default {}', 'No overrides.'],
    ['export default () => {}', 'Unknown operation "default".'],
    ['export const getCredit = 1', 'getCredit is not a function.'],
    ['', 'No overrides.'],
    ['export const = 1', "can't be loaded: "],
  ])('is refused at the start: %s', async (text, message) => {
    const path = file(text)
    const error: Error = await startServer({ overrides: path }).then(
      () => new Error('it started'),
      (one) => one as Error,
    )
    expect(error).toMatchObject({ name: 'UserError', message: expect.stringContaining(message) })
    expect(error.message).toContain(path)
  })

  test('that does not exist is reported with its name', async () => {
    await expect(startServer({ overrides: 'nowhere.mjs' })).rejects.toThrow(
      'The override nowhere.mjs does not exist.',
    )
  })
})

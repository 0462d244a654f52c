import { expect, test } from 'vitest'
import type { RequestPage } from '../../src/contract/shapes.ts'
import { small } from '../support/scenario.ts'
import { cloneSimulator, start } from '../support/start.ts'

async function startLimited(requests: object, more: object = {}) {
  const reseller = { ...small.accounts.reseller, limits: { requests }, ...more }
  const simulator = await start({ scenario: { ...small, accounts: { reseller } } })
  const { admin, call } = simulator
  const get = (path = '/api/billing/credit', login?: string) => call('GET', path, login ? { login } : {})
  return { ...simulator, get, advance: (by: string) => admin('POST', '/clock/advance', { by }) }
}

test('the first authenticated request starts a window that allows limits.requests.count requests', async () => {
  const simulator = await startLimited({ count: 2, per: 60 })
  const { get, advance, admin } = simulator
  expect((await get('/api/billing/credit', 'reseller:wrong')).status).toBe(401) // not counted
  expect((await get()).status).toBe(200)
  await advance('PT59.5S')
  expect((await get('/api/nothing')).status).toBe(404)
  const refused = await get()
  expect(refused).toMatchObject({
    status: 429,
    text: '{"error":"Too Many Requests"}',
    headers: { 'retry-after': '1', 'sim-case': 'too-many-requests' },
  })
  expect(refused.headers['sim-reason']).toBe(
    'limits.requests allows 2 requests in 60 s; the window ends in 1 s, but the clock is frozen: it does not move until proxysim clock --advance PT1S',
  )
  expect((await get('/api/nothing')).status).toBe(429)
  const { json } = await admin<RequestPage>('GET', '/requests?case=too-many-requests')
  expect(json.requests[1]).toMatchObject({ status: 429, forced: true, change: null, operation: 'getCredit' })

  const copy = await cloneSimulator(simulator) // the export includes the window
  expect((await copy.call('GET', '/api/billing/credit')).status).toBe(429)

  await advance('PT0.5S')
  expect([(await get()).status, (await get()).status, (await get()).status]).toEqual([200, 200, 429])
  await admin('PATCH', '/accounts/reseller', { limits: { requests: null } })
  expect((await get()).status).toBe(200)
})

test.each([
  [{ now: '2026-01-15T12:00:00.000Z', frozen: false, rate: 1 }, 3600, 429],
  [{ now: '2026-01-15T12:00:00.000Z', frozen: false, rate: 100_000 }, 1, 200], // over before the next request
])('a window ends by the account’s running clock: %j, %i s', async (clock, per, status) => {
  const { get } = await startLimited({ count: 1, per }, { clock })
  expect((await get()).status).toBe(200)
  for (const began = Date.now(); Date.now() === began; ); // the clock counts whole milliseconds
  const second = await get()
  expect(second.status).toBe(status)
  expect(Number(second.headers['retry-after'] ?? per)).toBeGreaterThan(per - 60)
  expect(second.headers['sim-reason'] ?? '').not.toContain('frozen')
})

test('a request that a fault delays or replaces counts once; one beyond the limit triggers no fault', async () => {
  const faults = [{ operation: 'getCredit', delay: 1, respond: { status: 503 } }]
  const { get, admin } = await startLimited({ count: 2, per: 60 }, { faults })
  expect([(await get()).status, (await get()).status, (await get()).status]).toEqual([503, 503, 429])
  expect((await admin('GET', '/faults')).json).toMatchObject([{ seen: 2, used: 2 }])
})

test('the limit holds for simultaneous requests', async () => {
  const { call } = await startLimited({ count: 3, per: 60 })
  const all = await Promise.all(
    Array.from({ length: 8 }, () => call('POST', '/api/product/101', { body: { clientid: 11 } })),
  )
  expect(all.filter(({ status }) => status === 200)).toHaveLength(3)
})

test.each([
  [{ count: 0, per: 60 }, 'limits.requests.count'],
  [{ count: 1, per: 0 }, 'limits.requests.per'],
  [{ count: 1 }, 'limits.requests.per'],
  [{ count: 1, per: 1, size: 1 }, 'size'],
])('%j is refused', async (requests, message) => {
  const { admin } = await start({ scenario: small })
  const { status, text } = await admin('PATCH', '/accounts/reseller', { limits: { requests } })
  expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining(message) })
})

import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { adminOf, small, two, type Admin } from '../support/admin.ts'
import { folder, start, type Started } from '../support/start.ts'

interface Entry {
  id: number
  account: string | null
  version: number | null
}

async function newest(admin: Admin): Promise<Entry> {
  const { json } = await admin<{ requests: Entry[] }>('GET', '/requests?limit=1')
  return json.requests[0] as Entry
}

const order = (simulator: Started, options = {}) =>
  simulator.call('POST', '/api/product/101', { body: { clientid: 11 }, ...options })

describe('versions', () => {
  it('start at 0 after a load and increase with every change', async () => {
    const simulator = await start({ scenario: small })
    const admin = adminOf(() => simulator)
    const versionMet = async () => {
      await simulator.call('GET', '/api/billing/credit')
      return (await newest(admin)).version
    }
    expect(await versionMet()).toBe(0)
    await order(simulator)
    expect((await newest(admin)).version).toBe(0)
    expect(await versionMet()).toBe(1)
    await admin('PATCH', '/accounts/reseller', { credit: 7 })
    expect(await versionMet()).toBe(2)
    await admin('PATCH', '/accounts/reseller', { credit: 7 })
    expect(await versionMet()).toBe(2) // it changed nothing
    await admin('POST', '/faults', { operation: 'getCredit', delay: 1, times: 1 })
    expect(await versionMet()).toBe(3)
    expect(await versionMet()).toBe(4) // the fault's counter moved
    await admin('POST', '/clock/advance', { by: 'PT1H' })
    expect(await versionMet()).toBe(5)
    await simulator.call('GET', '/api/clients', { login: null })
    expect(await newest(admin)).toMatchObject({ account: null, version: null })
    await admin('POST', '/reset')
    expect(await versionMet()).toBe(0)
  })
})

describe('rewinding', () => {
  it('restores the world just before a request, without affecting others', async () => {
    const simulator = await start({ scenario: two })
    const admin = adminOf(() => simulator)
    await order(simulator)
    const before = (await admin('GET', '/accounts/reseller')).text
    await order(simulator)
    const { id } = await newest(admin)
    await order(simulator, { login: 'other' })
    const other = (await admin('GET', '/accounts/other')).text
    await simulator.call('PUT', '/api/service/5001', { body: { update_list: 'true', setip: '192.0.2.77' } })
    const { total } = (await admin<{ total: number }>('GET', '/requests')).json
    expect((await admin('POST', `/requests/${id}/rewind`)).json).toEqual({ account: 'reseller', version: 4 })
    expect((await admin('GET', '/accounts/reseller')).text).toBe(before)
    expect((await admin('GET', '/accounts/other')).text).toBe(other)
    expect((await admin<{ total: number }>('GET', '/requests')).json.total).toBe(total)
    // and the freed address can be bound again
    expect((await simulator.call('PUT', '/api/service/5001', { body: { setip: '192.0.2.77' } })).status).toBe(
      200,
    )
  })

  it('brings back the counters of faults and the setting of the clock', async () => {
    const simulator = await start({ scenario: small })
    const admin = adminOf(() => simulator)
    await admin('POST', '/faults', { operation: 'getCredit', respond: { status: 503 }, times: 1 })
    expect((await simulator.call('GET', '/api/billing/credit')).status).toBe(503)
    const { id } = await newest(admin)
    await admin('PUT', '/clock', { frozen: false })
    expect((await simulator.call('GET', '/api/billing/credit')).status).toBe(200)
    await admin('POST', `/requests/${id}/rewind`)
    expect((await admin('GET', '/clock')).json).toMatchObject({
      now: '2026-01-15T12:00:00.000Z',
      frozen: true,
    })
    expect((await admin('GET', '/faults')).json).toMatchObject([{ seen: 0, used: 0 }])
    expect((await simulator.call('GET', '/api/billing/credit')).status).toBe(503)
  })

  it('persists in the file', async () => {
    const db = `${folder()}/db.json`
    const simulator = await start({ scenario: small, db })
    const admin = adminOf(() => simulator)
    const before = (await admin('GET', '/accounts/reseller')).text
    await order(simulator)
    const { id } = await newest(admin)
    await order(simulator)
    await admin('POST', `/requests/${id}/rewind`)
    await simulator.close()
    const again = await start({ db })
    expect((await adminOf(() => again)('GET', '/accounts/reseller')).text).toBe(before)
    expect(again.simulation.store.peek('reseller')?.version).toBe(3)
  })

  it('refuses requests that are unknown, dropped or without an account, and changes nothing', async () => {
    const simulator = await start({ scenario: two, journal: 3 })
    const admin = adminOf(() => simulator)
    for (let i = 0; i < 3; i++) await order(simulator)
    await simulator.call('GET', '/api/clients', { login: null })
    await order(simulator)
    await order(simulator, { login: 'other' }) // kept now: 4 (no account), 5, 6; of changes: those of 3, 5 and 6
    const before = (await admin('GET', '/scenario')).text
    const refusals: [path: string, status: number, error: string][] = [
      ['/requests/99/rewind', 404, 'There is no request "99" in the journal; it has 4 to 6.'],
      ['/requests/x/rewind', 404, 'There is no request "x" in the journal; it has 4 to 6.'],
      [
        '/requests/1/rewind',
        409,
        'Request 1 is no longer in the journal, so the history does not reach back to it; the oldest request that it reaches is 5.',
      ],
      ['/requests/0/rewind', 404, 'There is no request "0" in the journal; it has 4 to 6.'],
      ['/requests/5/rewind?account=nobody', 404, 'There is no account "nobody". There are: reseller, other.'],
      [
        '/requests/5/rewind?account=other',
        404,
        'There is no request "5" of "other" in the journal; it has 6.',
      ],
      [
        '/requests/4/rewind',
        409,
        'Request 4 was refused before it reached an account, so there is no state to go back to.',
      ],
    ]
    for (const [path, status, error] of refusals)
      expect(await admin('POST', path), path).toMatchObject({ status, json: { error } })
    expect((await admin('GET', '/scenario')).text).toBe(before)
  })

  it('stops at a load', async () => {
    const simulator = await start({ scenario: small })
    const admin = adminOf(() => simulator)
    await admin('POST', '/snapshots')
    await order(simulator)
    const { id } = await newest(admin)
    await admin('POST', '/snapshots/s1/restore')
    expect((await admin('POST', `/requests/${id}/rewind`)).status).toBe(409)
  })

  it('does not reach into a deleted account with the same login', async () => {
    const simulator = await start({ scenario: two })
    const admin = adminOf(() => simulator)
    await order(simulator)
    const { id } = await newest(admin)
    await admin('DELETE', '/accounts/reseller')
    expect((await admin('POST', `/requests/${id}/rewind`)).status).toBe(409)
    await admin('POST', '/accounts', { login: 'reseller' })
    expect((await admin('POST', `/requests/${id}/rewind`)).status).toBe(409)
  })
})

/** Steps that change a world in every possible way. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('order' as const), pid: fc.constantFrom('101', '201', '999') }),
  fc.record({ kind: fc.constant('bind' as const), ip: fc.constantFrom('192.0.2.1', '192.0.2.2', 'x') }),
  fc.record({ kind: fc.constant('list' as const) }),
  fc.record({ kind: fc.constant('rotate' as const) }),
  fc.record({ kind: fc.constant('ttl' as const), ttl: fc.constantFrom(1, 5, 15) }),
  fc.record({ kind: fc.constant('resetall' as const) }),
  fc.record({
    kind: fc.constant('patch' as const),
    patch: fc.constantFrom<object>(
      { credit: 33.33 },
      { services: { 5001: null } },
      { services: { 5001: { client: 11, product: 101, ips: ['198.51.100.1'], errors: ['198.51.100.1'] } } },
      { services: { 5001: { ips: null } } },
      { services: { 5002: { usage: { limit: 5, stats: { '2026-01-02': 3 } } } } },
      { clients: { 12: { email: 'ben@example.com' } } },
      { invoices: { 9001: null } },
      { assumptions: { productSort: 'desc' } },
      { tokens: ['tok_other'] },
    ),
  }),
  fc.record({ kind: fc.constant('fault' as const), times: fc.constantFrom(1, 2) }),
  fc.record({ kind: fc.constant('clock' as const), by: fc.constantFrom('PT1S', 'PT20M', 'P1D') }),
  fc.record({ kind: fc.constant('rewind' as const), to: fc.nat() }),
)

test('any rewinds, in any order, restore the world before that request to the byte', async () => {
  const rounds = process.env['PROXYSIM_RUNS'] === undefined ? 12 : Number(process.env['PROXYSIM_RUNS'])
  let rewound = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const simulator = await start({ scenario: { ...small, description: 'x' } })
      const admin = adminOf(() => simulator)
      const world = async () => (await admin('GET', '/accounts/reseller')).text
      const seen: { id: number; before: string }[] = []
      const ask = async (method: string, path: string, body?: object) => {
        const before = await world()
        await simulator.call(method, path, body ? { body } : {})
        seen.push({ id: (await newest(admin)).id, before })
      }
      const backTo = async ({ id, before }: { id: number; before: string }) => {
        expect((await admin('POST', `/requests/${id}/rewind`)).status).toBe(200)
        expect(await world()).toBe(before)
        rewound++
      }
      for (const one of steps)
        switch (one.kind) {
          case 'order':
            await ask('POST', `/api/product/${one.pid}`, { clientid: 11 })
            break
          case 'bind':
            await ask('PUT', '/api/service/5001', { setip: one.ip })
            break
          case 'list':
            await ask('PUT', '/api/service/5001', { update_list: 'true' })
            break
          case 'rotate':
            await ask('GET', '/api/sticky/rotate/5002/us1/abc')
            break
          case 'ttl':
            await ask('GET', `/api/sticky/changettl/5002/${one.ttl}`)
            break
          case 'resetall':
            await ask('GET', '/api/sticky/resetall/5002')
            break
          case 'patch':
            await admin('PATCH', '/accounts/reseller', one.patch)
            break
          case 'fault':
            await admin('POST', '/faults', {
              operation: '*',
              respond: 'unauthenticated',
              after: 1,
              times: one.times,
            })
            break
          case 'clock':
            await admin('POST', '/clock/advance', { by: one.by })
            break
          case 'rewind': {
            const aim = seen[one.to % (seen.length || 1)]
            if (!aim) break
            await backTo(aim)
          }
        }
      for (const aim of seen.toReversed().concat(seen)) await backTo(aim)
      await simulator.close()
    }),
    { numRuns: rounds, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
  )
  expect(rewound).toBeGreaterThan(rounds)
}, 90_000)

import { describe, expect, test } from 'vitest'
import { adminOf, small } from '../support/admin.ts'
import { start, type Started } from '../support/start.ts'

type WorldShown = Record<
  'services' | 'clients' | 'products' | 'invoices',
  Record<string, Record<string, unknown>>
> & { credit: number }

async function setUp() {
  const simulator = await start({ scenario: small })
  const admin = adminOf(() => simulator)
  return {
    ...simulator,
    admin,
    patch: <T = WorldShown>(body: unknown) => admin<T>('PATCH', '/accounts/reseller', body),
    read: async () => (await admin<WorldShown>('GET', '/accounts/reseller')).json,
  }
}

describe('values are set', () => {
  test('a scalar, which clients then see', async () => {
    const { patch, call } = await setUp()
    expect(await patch({ credit: 0.5 })).toMatchObject({ status: 200, json: { credit: 0.5 } })
    expect((await call('GET', '/api/billing/credit')).json).toEqual({ credit: 0.5 })
  })

  test('a field of a record, without touching the others, also with the media type of merge patches', async () => {
    const { admin, read } = await setUp()
    const before = await read()
    const headers = { 'content-type': 'application/merge-patch+json' }
    const patch = { services: { 5001: { status: 'Suspended' } } }
    expect((await admin('PATCH', '/accounts/reseller', patch, { headers })).status).toBe(200)
    const suspended = { ...before.services['5001'], status: 'Suspended' }
    expect(await read()).toEqual({ ...before, services: { ...before.services, 5001: suspended } })
  })

  test('a new record, with the defaults of a scenario', async () => {
    const { patch, call } = await setUp()
    const { json } = await patch({
      clients: { 12: {} },
      products: { 102: { productName: 'Static 5', price: 5, product_type: 'fpr' } },
      services: { 6000: { client: 12, product: 102 } },
      invoices: { 9100: { serviceid: 6000, status: 'Paid' } },
    })
    expect(json).toMatchObject({
      clients: { 12: { email: 'client12@example.com' } },
      services: {
        6000: {
          price: 5,
          status: 'Active',
          orderid: 7003,
          username: expect.stringMatching(/^u6000/) as string,
          bindedip: expect.stringMatching(/^\d+\./) as string,
        },
      },
      invoices: { 9100: { amount: 5 } },
      next: { service: 6001, order: 7004, invoice: 9101, fault: 1 },
    })
    expect((await call('GET', '/api/service/6000')).status).toBe(200)
  })

  test('faults, limits, assumptions, tokens, clock', async () => {
    const { patch, call } = await setUp()
    const set = {
      limits: { updateListInterval: 5 },
      assumptions: { geo: 'object' },
      tokens: ['tok_other'],
    }
    const fault = { operation: 'getCredit', respond: 'unauthenticated', times: 1 }
    const { json } = await patch({ ...set, faults: [fault], clock: { now: '2026-02-01T00:00:00Z' } })
    expect(json).toMatchObject({
      ...set,
      assumptions: { geo: 'object', productSort: 'asc' },
      faults: [{ id: 1, operation: 'getCredit', phase: 'before', seen: 0, used: 0 }],
      clock: { now: '2026-02-01T00:00:00.000Z', frozen: true },
      next: { fault: 2 },
    })
    expect((await call('GET', '/api/billing/credit')).status).toBe(401)
    for (const [updateListInterval, kept] of [
      [9, 9],
      [null, 3600],
    ])
      expect(await patch({ assumptions: { updateListInterval } })).toMatchObject({
        json: { limits: { updateListInterval: kept } },
      })
  })
})

describe('null removes', () => {
  test('records, whose ids are not reused', async () => {
    const { patch, call } = await setUp()
    const { json } = await patch({ services: { 5002: null }, invoices: null })
    expect(Object.keys(json.services)).toEqual(['5001'])
    expect(json.invoices).toEqual({})
    const { json: ordered } = await call<{ serviceId: number; invoiceId: number }>(
      'POST',
      '/api/product/101',
      { body: { clientid: 11 } },
    )
    expect(ordered).toMatchObject({ serviceId: 5003, invoiceId: 9002 })
  })

  test('a value, which brings back its default', async () => {
    const { patch } = await setUp()
    await patch({ assumptions: { geo: 'object', productSort: 'desc' }, limits: { updateListInterval: 5 } })
    const { json } = await patch({
      assumptions: { geo: null },
      limits: null,
      tokens: null,
      credit: null,
      clock: null,
    })
    expect(json).toMatchObject({
      assumptions: { geo: 'code', productSort: 'desc' },
      limits: { updateListInterval: 3600 },
      tokens: [],
      credit: 0,
      clock: { frozen: false },
    })
  })

  test('an address, which another service can then bind', async () => {
    const { patch, call } = await setUp()
    expect((await patch({ services: { 5001: { bindedip: null } } })).json.services['5001']?.bindedip).toBe('')
    expect((await call<object>('GET', '/api/service/5001')).json).not.toHaveProperty('bindedip')
    const ordered = await call('POST', '/api/product/101', { body: { clientid: 11, setip: '192.0.2.10' } })
    expect(ordered.status).toBe(200)
  })

  test('a product, but not its services', async () => {
    const { patch, call } = await setUp()
    expect((await patch({ products: { 101: null } })).status).toBe(200)
    expect((await call('GET', '/api/service/5001')).status).toBe(200)
    expect((await patch({ services: { 5001: { status: 'Pending' } } })).status).toBe(200)
    expect((await patch({ services: { 7000: { client: 11, product: 101 } } })).status).toBe(400)
  })
})

describe('a type determines the fields', () => {
  const shown = async (simulator: Started, id: number) =>
    (await simulator.call<Record<string, unknown>>('GET', `/api/service/${id}`)).json

  test('a list without addresses leaves their number alone, and loads again', async () => {
    const { patch, admin, read } = await setUp()
    expect((await patch({ services: { 5001: { ips: [] } } })).status).toBe(200)
    const { json } = await admin<object>('GET', '/scenario')
    const before = await read()
    expect(before.services['5001']).toMatchObject({ ips: [], ip_count: 2 })
    expect(await admin('PUT', '/scenario', json)).toMatchObject({ status: 200 })
    expect(await read()).toEqual(before)
  })

  test('a service that changes its type swaps the fields of the old type for those of the new one', async () => {
    const simulator = await setUp()
    const { json } = await simulator.patch({ services: { 5001: { product_type: 'ppr' } } })
    expect(json.services['5001']).toMatchObject({
      product_type: 'ppr',
      usage: { limit: 10_000, stats: {} },
      sticky: { ttl: 10, sessions: [] },
    })
    expect(Object.keys(await shown(simulator, 5001))).not.toEqual(expect.arrayContaining(['bindedip']))
    expect((await simulator.call('GET', '/api/rate/5001')).json).toEqual([{ limit: 10_000, rate: 0 }])
    // Its address is free again.
    const back = await simulator.patch({
      services: {
        5001: { product_type: 'fpr', bindedip: '' },
        5003: { client: 11, product: 101, bindedip: '192.0.2.10' },
      },
    })
    expect(back.status).toBe(200)
    expect(back.json.services['5001']).toMatchObject({ ip_count: 2, bindedip: '' })
    expect(back.json.services['5001']).not.toHaveProperty('sticky')
  })

  test('a product that changes its type does not affect its services; new ones have the new type', async () => {
    const simulator = await setUp()
    const before = await shown(simulator, 5001)
    const { json } = await simulator.patch({
      products: { 101: { product_type: 'ppr' }, 201: { product_type: 'fpr' } },
    })
    expect(json.products['101']).not.toHaveProperty('ip_count')
    expect(json.products['201']).toMatchObject({ ip_count: 1, geo: ['US'] })
    expect(await shown(simulator, 5001)).toEqual(before)
    const ordered = await simulator.call<{ serviceId: number }>('POST', '/api/product/101', {
      body: { clientid: 11 },
    })
    expect(await shown(simulator, ordered.json.serviceId)).toMatchObject({ product_type: 'ppr' })
    expect(
      (await simulator.patch({ services: { 7000: { client: 11, product: 201 } } })).json.services['7000'],
    ).toMatchObject({ product_type: 'fpr' })
  })
})

test('services can swap addresses in one patch', async () => {
  const { patch } = await setUp()
  await patch({ services: { 5003: { client: 11, product: 101, bindedip: '192.0.2.11' } } })
  const services = { 5001: { bindedip: '192.0.2.11' }, 5003: { bindedip: '192.0.2.10' } }
  expect(await patch({ services })).toMatchObject({ status: 200, json: { services } })
  const moved = { 5001: null, 5004: { client: 11, product: 101, bindedip: '192.0.2.11' } }
  expect((await patch({ services: moved })).status).toBe(200)
})

test('a world that was read can be sent back, even while the clock runs', async () => {
  const simulator = await start({
    scenario: { ...small, clock: { now: '2026-01-15T12:00:00Z', frozen: false } },
  })
  const admin = adminOf(() => simulator)
  const { json } = await admin<object>('GET', '/accounts/reseller')
  const { status } = await admin('PATCH', '/accounts/reseller', { ...json, credit: 5 })
  expect(status).toBe(200)
  expect(simulator.simulation.store.peek('reseller')?.credit).toBe(5)
})

test('the reported change is the actual difference', async () => {
  const { patch, simulation } = await setUp()
  const changes: unknown[] = []
  simulation.store.on((event) => {
    if (event.type === 'change') changes.push(event.change)
  })
  await patch({ credit: 100, services: { 5001: { status: 'Active', bindedip: '192.0.2.12' }, 4: null } })
  await patch({})
  expect(changes).toEqual([{ services: { 5001: { bindedip: '192.0.2.12' } } }])
})

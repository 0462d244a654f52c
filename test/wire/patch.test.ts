import { describe, expect, test } from 'vitest'
import { small } from '../support/scenario.ts'
import { start } from '../support/start.ts'

type Records = Record<string, Record<string, unknown>>
type Ordered = Record<'serviceId' | 'invoiceId', number>
type WorldShown = Record<'services' | 'clients' | 'products' | 'invoices', Records>

async function setUp(scenario: object = small) {
  const simulator = await start({ scenario })
  const { admin } = simulator
  return {
    ...simulator,
    patch: (body: unknown) => admin<WorldShown>('PATCH', '/accounts/reseller', body),
    read: async () => (await admin<WorldShown>('GET', '/accounts/reseller')).json,
    shown: async (id: number) => (await simulator.call<object>('GET', `/api/service/${id}`)).json,
    order: (body: object = {}) =>
      simulator.call<Ordered>('POST', '/api/product/101', { body: { clientid: 11, ...body } }),
  }
}

const text = (pattern: RegExp) => expect.stringMatching(pattern) as string
const set = { limits: { updateListInterval: 5 }, assumptions: { geo: 'object' }, tokens: ['tok_other'] }
const once = { operation: 'getCredit', respond: 'unauthenticated', times: 1 }

test.each<[what: string, patches: object[], shown: object]>([
  ['a scalar', [{ credit: 0.5 }], { credit: 0.5 }],
  [
    'a new record, with the defaults of a scenario',
    [
      {
        clients: { 12: {} },
        products: { 102: { productName: 'Static 5', price: 5, product_type: 'fpr' } },
        services: { 6000: { client: 12, product: 102 } },
        invoices: { 9100: { serviceid: 6000, status: 'Paid' } },
      },
    ],
    {
      clients: { 12: { email: 'client12@example.com' } },
      services: { 6000: { price: 5, status: 'Active', orderid: 7003, username: text(/^u6000/) } },
      invoices: { 9100: { amount: 5 } },
      next: { service: 6001, order: 7004, invoice: 9101, fault: 1 },
    },
  ],
  [
    'faults, limits, assumptions, tokens, clock',
    [{ ...set, faults: [once], clock: { now: '2026-02-01T00:00:00Z' } }],
    {
      ...set,
      assumptions: { geo: 'object', productSort: 'asc' },
      faults: [{ id: 1, operation: 'getCredit', phase: 'before', seen: 0, used: 0 }],
      clock: { now: '2026-02-01T00:00:00.000Z', frozen: true },
      next: { fault: 2 },
    },
  ],
  [
    'null, which removes records',
    [{ services: { 5001: null }, invoices: null }],
    { invoices: {}, services: { 5002: {} } },
  ],
  [
    'null, which restores a default',
    [
      { ...set, assumptions: { geo: 'object', productSort: 'desc' } },
      {
        assumptions: { geo: null, updateListInterval: null },
        limits: null,
        tokens: null,
        credit: null,
        clock: null,
      },
    ],
    {
      assumptions: { geo: 'code', productSort: 'desc' },
      limits: { updateListInterval: 3600 },
      tokens: [],
      credit: 0,
      clock: { frozen: false },
    },
  ],
  [
    'null as the limit of usage (no limit), with other fields',
    [{ services: { 5001: { status: 'Pending' }, 5002: { usage: { limit: null } } } }],
    { services: { 5001: { status: 'Pending' }, 5002: { usage: { limit: null } } } },
  ],
  [
    'null as an address (no address)',
    [{ services: { 5001: { bindedip: null } } }],
    { services: { 5001: { bindedip: '' } } },
  ],
  [
    'another type for a service, with the fields of that type',
    [{ services: { 5001: { product_type: 'ppr' } } }],
    {
      services: {
        5001: { product_type: 'ppr', usage: { limit: 10_000, stats: {} }, sticky: { ttl: 10, sessions: [] } },
      },
    },
  ],
])('sets %s', async (_what, patches, shown) => {
  const { patch, read } = await setUp()
  for (const one of patches) {
    const { status, text: said } = await patch(one)
    expect(status, said).toBe(200)
  }
  expect(await read()).toMatchObject(shown)
})

test('changes no other field, also with the media type of merge patches', async () => {
  const { admin, read } = await setUp()
  const before = await read()
  const headers = { 'content-type': 'application/merge-patch+json' }
  const patch = { services: { 5001: { status: 'Suspended' } } }
  expect((await admin('PATCH', '/accounts/reseller', patch, { headers })).status).toBe(200)
  const suspended = { ...before.services['5001'], status: 'Suspended' }
  expect(await read()).toEqual({ ...before, services: { ...before.services, 5001: suspended } })
})

describe('clients see', () => {
  test('set and removed fields, and no reused ids', async () => {
    const { patch, call, order, shown } = await setUp()
    await patch({
      credit: 50,
      faults: [once],
      services: { 5001: { bindedip: null }, 5002: null },
      invoices: null,
    })
    expect((await call('GET', '/api/billing/credit')).status).toBe(401)
    expect((await call('GET', '/api/billing/credit')).json).toEqual({ credit: 50 })
    expect(await shown(5001)).not.toHaveProperty('bindedip')
    expect((await order()).json).toMatchObject({ serviceId: 5003, invoiceId: 9002 })
  })
})

test('a service with an empty IP list keeps its IP count, and can be loaded again', async () => {
  const { patch, admin, read } = await setUp()
  expect((await patch({ services: { 5001: { ips: [] } } })).status).toBe(200)
  const { json } = await admin<object>('GET', '/scenario')
  const before = await read()
  expect(before.services['5001']).toMatchObject({ ips: [], ip_count: 2 })
  expect(await admin('PUT', '/scenario', json)).toMatchObject({ status: 200 })
  expect(await read()).toEqual(before)
})

test('a state that was read is accepted as a patch, even while the clock runs', async () => {
  const { patch, read } = await setUp({ ...small, clock: { now: '2026-01-15T12:00:00Z', frozen: false } })
  expect(await patch({ ...(await read()), credit: 5 })).toMatchObject({ status: 200, json: { credit: 5 } })
})

test('the reported change is the actual difference', async () => {
  const { patch, simulation } = await setUp()
  const changes: unknown[] = []
  simulation.store.on((event) => event.type === 'change' && changes.push(event.change))
  await patch({ credit: 100, services: { 5001: { status: 'Active', bindedip: '192.0.2.12' }, 4: null } })
  await patch({})
  expect(changes).toEqual([{ services: { 5001: { bindedip: '192.0.2.12' } } }])
})

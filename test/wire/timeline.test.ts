import { describe, expect, test } from 'vitest'
import type { Timeline } from '../../src/contract/shapes.ts'
import { small } from '../support/scenario.ts'
import { cloneSimulator, start, getState } from '../support/start.ts'

const suspension = { services: { 5001: { status: 'Suspended' } } }

async function startWith(more: object = {}) {
  const scenario = { ...small, accounts: { reseller: { ...small.accounts.reseller, ...more } } }
  const simulator = await start({ scenario })
  const { admin } = simulator
  const getStatus = async (id: number) =>
    (await simulator.call<{ status: string }>('GET', `/api/service/${id}`)).json.status
  const timeline = async () => (await admin<Timeline>('GET', '/timeline')).json
  const advance = (by: string) => admin('POST', '/clock/advance', { by })
  return { simulator, admin, getStatus, timeline, advance }
}

test('an entry is applied once the clock has passed it, as a separate change, and leaves the timeline', async () => {
  const { simulator, admin, getStatus, timeline, advance } = await startWith()
  const added = await admin<{ id: number; at: string }>('POST', '/timeline', {
    after: 'PT10M',
    description: 'not renewed',
    patch: suspension,
  })
  expect(added.status).toBe(201)
  expect(added.json).toMatchObject({ id: 1, at: '2026-01-15T12:10:00.000Z' })
  await advance('PT9M59S')
  expect(await getStatus(5001)).toBe('Active')
  await advance('PT1S')
  expect(await getStatus(5001)).toBe('Suspended')
  expect(await timeline()).toEqual({ timeline: [], skipped: [] })
  const { json } = await admin<{ history: object[] }>('GET', '/accounts/reseller')
  expect(json.history).toEqual([{ id: 1, at: '2026-01-15T12:10:00.000Z', description: 'not renewed' }])
  const elsewhere = await (await cloneSimulator(simulator)).admin<{ history: object[] }>(
    'GET',
    '/accounts/reseller',
  )
  expect(elsewhere.json.history).toEqual(json.history)
})

test('a repeated entry adds usage on each of its days', async () => {
  const { simulator, admin, timeline, advance } = await startWith()
  const entry = { after: 'P1D', every: 'P1D', times: 3, add: { services: { 5002: { usage: 120 } } } }
  await admin('POST', '/timeline', entry)
  await advance('P2D')
  expect(await timeline()).toMatchObject({ timeline: [{ id: 1, at: '2026-01-18T12:00:00.000Z', times: 1 }] })
  await advance('P5D')
  expect((await simulator.call('GET', '/api/stats/5002')).json).toEqual(
    ['2026-01-16', '2026-01-17', '2026-01-18'].map((date) => ({ date, rate: 120 })),
  )
})

test('an entry can remove records', async () => {
  const { simulator, admin, timeline, advance } = await startWith()
  const patch = { services: { 5001: { bindedip: null }, 5002: null } }
  await admin('POST', '/timeline', { after: 'PT1H', every: 'PT1H', times: 2, patch })
  expect((await timeline()).timeline).toMatchObject([{ patch }])
  await advance('PT1H')
  expect((await timeline()).timeline).toMatchObject([{ patch, times: 1 }])
  expect((await simulator.call('GET', '/api/service/5002')).status).toBe(422)
  expect((await simulator.call('GET', '/api/service/5001')).json).not.toHaveProperty('bindedip')
})

test('credit is added or subtracted, within its limits', async () => {
  const { simulator, admin, timeline, advance } = await startWith()
  for (const [i, credit] of [-20, 1e12, -81].entries())
    await admin('POST', '/timeline', { after: `PT${i + 1}S`, add: { credit } })
  await advance('PT3S')
  expect((await simulator.call('GET', '/api/billing/credit')).json).toEqual({ credit: 80 })
  expect((await timeline()).skipped).toMatchObject([
    { reason: expect.stringContaining('is more than'), description: 'credit was added' },
    { reason: 'credit 80.00 is less than 81.00', description: 'credit was deducted' },
  ])
})

test.each([
  ['2026-01-31T00:00:00Z', 'P1M', ['01-31', '02-28', '03-31', '04-30', '05-31', '06-30']],
  ['2027-11-30T00:00:00Z', 'P3M', ['11-30', '02-29', '05-30', '08-30']],
  ['2028-02-29T00:00:00Z', 'P1Y', ['02-29', '02-28', '02-28', '02-28', '02-29']],
])(
  'an entry at %s that is repeated every %s is due on the same day of the month',
  async (at, every, days) => {
    const { simulator, admin, advance } = await startWith()
    const add = { services: { 5002: { usage: 1 } } }
    await admin('POST', '/timeline', { at, every, times: days.length, add })
    await advance('P45D')
    const other = await cloneSimulator(simulator)
    for (const ask of [admin, other.admin]) {
      await ask('POST', '/clock/advance', { by: 'P20Y' })
      const { json } = await ask<{ history: { at: string }[] }>('GET', '/accounts/reseller')
      expect(json.history.map((event) => event.at.slice(5, 10))).toEqual(days)
    }
  },
)

describe('entries for a record', () => {
  const invoice = (status: string) => ({ invoices: { 9001: { serviceid: 5001, status, amount: 20 } } })
  const service = (status: string) => ({ services: { 5001: { status } } })

  test.each([
    [
      { activate: 5001 },
      service('Pending'),
      'service 5001 is activated',
      { services: { 5001: { status: 'Active' } } },
    ],
    [
      { pay: 9001 },
      invoice('Unpaid'),
      'invoice 9001 is paid',
      { credit: 80, invoices: { 9001: { status: 'Paid', date_paid: '2026-01-16' } } },
    ],
    [{ pay: 9001 }, invoice('Payment Pending'), 'invoice 9001 is paid', { credit: 80 }],
    [{ pay: 9001 }, { ...invoice('Pending'), credit: 20 }, 'invoice 9001 is paid', { credit: 0 }],
  ])('%j is applied to %j', async (entry, before, description, after) => {
    const { admin, advance } = await startWith()
    await admin('PATCH', '/accounts/reseller', before)
    expect((await admin('POST', '/timeline', { after: 'P1D', ...entry })).status).toBe(201)
    await advance('P1D')
    const { json } = await admin('GET', '/accounts/reseller')
    expect(json).toMatchObject({ ...after, timeline: [], history: [{ description }] })
  })

  test.each([
    ...['Active', 'Suspended', 'Terminated', 'Cancelled', 'Fraud'].map((status) => [
      { activate: 5001 },
      service(status),
      `service 5001 is ${status}; it must be Pending`,
    ]),
    ...['Paid', 'Cancelled', 'Refunded', 'Collections'].map((status) => [
      { pay: 9001 },
      invoice(status),
      `invoice 9001 is ${status}; it must be Unpaid, Payment Pending or Pending`,
    ]),
    [{ pay: 9001 }, { credit: 19.99 }, 'credit 19.99 is less than 20.00'],
    [{ renew: 5001 }, service('Suspended'), 'service 5001 is Suspended; it must be Active'],
    [{ activate: 5001 }, { services: { 5001: null } }, 'there is no service 5001'],
    [{ patch: suspension }, { services: { 5001: null } }, 'there is no service 5001'],
    [{ pay: 9001 }, { invoices: { 9001: null } }, 'there is no invoice 9001'],
    [{ renew: 5001 }, { services: { 5001: null } }, 'there is no service 5001'],
  ] as [object, object, string][])(
    '%j is skipped if it is impossible after %j',
    async (entry, then, reason) => {
      const { admin, timeline, advance } = await startWith()
      await admin('POST', '/timeline', { after: 'PT1S', ...entry })
      await admin('PATCH', '/accounts/reseller', then)
      const before = await admin<object>('GET', '/accounts/reseller')
      await advance('PT1S')
      expect(await timeline()).toMatchObject({ timeline: [], skipped: [{ id: 1, reason }] })
      const { json } = await admin<object>('GET', '/accounts/reseller')
      const ignored = { timeline: 0, history: 0, clock: 0 }
      expect({ ...json, ...ignored }).toEqual({ ...before.json, ...ignored })
    },
  )
})

describe('a renewal', () => {
  const renewal = { limits: { renewal: true }, credit: 50 }
  const renewed = { 5001: { client: 11, product: 101, regdate: '2025-12-31', nextduedate: '2026-01-31' } }

  test.each([[renewed], [{ 5001: { client: 11, product: 101, nextduedate: '2026-01-31' } }]])(
    'is paid on each due date until the credit is too low; then the service is Suspended',
    async (services) => {
      const { simulator, admin, timeline, advance } = await startWith({ ...renewal, services, invoices: {} })
      expect((await timeline()).timeline).toMatchObject([{ at: '2026-01-31T00:00:00.000Z', renew: 5001 }])
      await advance('P45D')
      expect((await timeline()).timeline).toMatchObject([{ at: '2026-03-31T00:00:00.000Z', renew: 5001 }])
      const other = await cloneSimulator(simulator)
      for (const ask of [admin, other.admin]) {
        await ask('POST', '/clock/advance', { by: 'P2M' })
        const { json } = await ask('GET', '/accounts/reseller')
        expect(json).toMatchObject({
          credit: 10,
          timeline: [],
          services: { 5001: { status: 'Suspended', nextduedate: '2026-03-31' } },
          invoices: {
            9001: { status: 'Paid', amount: 20, created_at: '2026-01-31', date_paid: '2026-01-31' },
            9002: { status: 'Paid', created_at: '2026-02-28', date_paid: '2026-02-28', serviceid: 5001 },
            9003: { status: 'Unpaid', created_at: '2026-03-31' },
          },
        })
        const { history } = json as { history: { effect?: string }[] }
        expect(Object.values(history).map(({ effect }) => effect)).toEqual([
          'credit -20.00',
          'credit -20.00',
          'not paid: Suspended',
        ])
      }
    },
  )

  test('applies to ordered services, is free for free ones, and moves with the due date', async () => {
    const free = { productName: 'Trial', price: 0, product_type: 'ppr' }
    const { simulator, admin, timeline, advance } = await startWith({
      ...renewal,
      products: { 7: free },
      services: {},
      invoices: {},
    })
    await simulator.call('POST', '/api/product/7', { body: { clientid: 11 } })
    await advance('P1M')
    expect((await timeline()).timeline).toMatchObject([{ at: '2026-03-15T00:00:00.000Z', renew: 5001 }])
    const patch = { services: { 5001: { nextduedate: '2026-03-20' } } }
    await admin('PATCH', '/accounts/reseller', patch)
    expect((await timeline()).timeline).toMatchObject([{ at: '2026-03-20T00:00:00.000Z', renew: 5001 }])
    await admin('PATCH', '/accounts/reseller', { limits: { renewal: null } })
    expect((await timeline()).timeline).toEqual([])
    await admin('PATCH', '/accounts/reseller', { limits: { renewal: true } })
    expect((await timeline()).timeline).toHaveLength(1)
    const { json } = await admin<{ invoices: object }>('GET', '/accounts/reseller')
    expect(json).toMatchObject({ credit: 50, invoices: { 9001: { amount: 0 } } })
    expect(Object.keys(json.invoices)).toHaveLength(1)
  })

  describe.each<[zone: string, now: string, due: string, at: string | undefined, next: string]>([
    ['UTC', '2026-01-15T12:00:00Z', '2026-01-15', '2026-01-15', '2026-02-15'],
    ['UTC', '2026-01-15T12:00:00Z', '2026-01-16', undefined, '2026-01-16'],
    ['UTC', '2026-01-15T12:00:00Z', '2026-01-14', '2026-01-15', '2026-02-14'],
    ['UTC', '2026-03-15T12:00:00Z', '2025-10-31', '2026-03-15', '2026-03-31'],
    ['America/Los_Angeles', '2026-01-15T05:00:00Z', '2026-01-15', undefined, '2026-01-15'],
    ['America/Los_Angeles', '2026-01-15T05:00:00Z', '2026-01-14', '2026-01-14', '2026-02-14'],
    ['Pacific/Kiritimati', '2026-01-14T11:00:00Z', '2026-01-15', '2026-01-15', '2026-02-15'],
    ['Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-24', '2026-04-24', '2026-05-24'], // clocks are set forward at midnight
  ])('in %s at %s, of a service due on %s', (timeZone, clock, due, day, next) => {
    const settings = { credit: 50, clock, assumptions: { timeZone }, invoices: {} }
    const services = { 5001: { client: 11, product: 101, regdate: '2025-08-31', nextduedate: due } }
    const expected = {
      credit: day === undefined ? 50 : 30,
      services: { 5001: { nextduedate: next } },
      invoices: day === undefined ? {} : { 9001: { status: 'Paid', created_at: day, date_paid: day } },
      timeline: [{ renew: 5001 }],
    }

    test.each([
      ['a load', { ...settings, services, limits: { renewal: true } }, {}],
      ['a patch that switches renewals on', { ...settings, services }, { limits: { renewal: true } }],
      [
        'a patch that adds the service',
        { ...settings, services: {}, limits: { renewal: true } },
        { services },
      ],
    ])('happens once at %s', async (_name, account, patch) => {
      const { admin, simulator } = await startWith(account)
      await admin('PATCH', '/accounts/reseller', patch)
      const { json } = await admin<{ invoices: object; timeline: object[] }>('GET', '/accounts/reseller')
      expect(json).toMatchObject(expected)
      expect([json.timeline.length, Object.keys(json.invoices).length]).toEqual([
        1,
        day === undefined ? 0 : 1,
      ])
      const other = await (await cloneSimulator(simulator)).admin('GET', '/accounts/reseller')
      expect(other.json, 'not again').toEqual(json)
    })
  })

  const reactivation = { services: { 5001: { status: 'Active' } } }
  test.each<[name: string, service: object, timeline: object[], steps: [path: string, body: object][]]>([
    ['a patch', { status: 'Suspended', nextduedate: '2026-01-05' }, [], [['', reactivation]]],
    [
      'a patch after its renewal was skipped',
      { status: 'Suspended', nextduedate: '2026-01-16' },
      [],
      [
        ['/clock/advance', { by: 'P5D' }],
        ['', reactivation],
      ],
    ],
  ])('happens once when %s makes an overdue service active', async (_name, service, entries, steps) => {
    const services = { 5001: { client: 11, product: 101, regdate: '2025-01-01', ...service } }
    const account = { ...renewal, services, invoices: {}, timeline: entries }
    const { admin, simulator, advance } = await startWith(account)
    for (const [path, body] of steps)
      await (path === '' ? admin('PATCH', '/accounts/reseller', body) : admin('POST', path, body))
    const { json } = await admin<{ timeline: object[] }>('GET', '/accounts/reseller')
    expect(json).toMatchObject({ credit: 30, services: { 5001: { status: 'Active' } } })
    expect(json.timeline).toMatchObject([{ renew: 5001 }])
    const other = await cloneSimulator(simulator)
    expect((await other.admin('GET', '/accounts/reseller')).json).toEqual(json)
    await admin('PATCH', '/accounts/reseller', { credit: 0 })
    await advance('P3M')
    const after = await admin<{ invoices: object; timeline: object[] }>('GET', '/accounts/reseller')
    expect(after.json).toMatchObject({ services: { 5001: { status: 'Suspended' } }, timeline: [] })
    expect(Object.keys(after.json.invoices), 'a suspended service is not renewed again').toHaveLength(2)
    await admin('PATCH', '/accounts/reseller', { credit: 20, ...reactivation })
    expect((await admin('GET', '/accounts/reseller')).json).toMatchObject({
      credit: 0,
      services: { 5001: { status: 'Active' } },
      timeline: [{ renew: 5001 }],
    })
  })

  test('does not happen by default', async () => {
    const { admin, advance } = await startWith()
    const before = (await admin<{ invoices: object }>('GET', '/accounts/reseller')).json.invoices
    await advance('P1Y')
    expect((await admin<{ invoices: object }>('GET', '/accounts/reseller')).json.invoices).toEqual(before)
  })
})

describe('an order', () => {
  const pending = {
    assumptions: { orderedService: 'Pending', orderedInvoice: 'Unpaid' },
    limits: { activation: 90, payment: 30 },
  }
  const order = { body: { clientid: 11 } }

  test('becomes active and paid after the durations in limits', async () => {
    const { simulator, getStatus, timeline, advance } = await startWith(pending)
    const ids = { serviceId: 5003, orderId: 7003, invoiceId: 9002 }
    for (const i of [0, 1]) {
      const { json } = await simulator.call('POST', '/api/product/101', order)
      const next = Object.entries(ids).map(([name, id]) => [name, id + i])
      expect(json).toMatchObject(Object.fromEntries(next))
    }
    expect((await timeline()).timeline).toMatchObject([
      { id: 2, at: '2026-01-15T12:00:30.000Z', description: 'invoice 9002 is paid' },
      { id: 4, at: '2026-01-15T12:00:30.000Z', description: 'invoice 9003 is paid' },
      { id: 1, at: '2026-01-15T12:01:30.000Z', description: 'service 5003 is activated' },
      { id: 3, at: '2026-01-15T12:01:30.000Z', description: 'service 5004 is activated' },
    ])
    await advance('PT30S')
    const invoice = await simulator.call('GET', '/api/billing/invoice/9003')
    expect(invoice.json).toMatchObject([{ status: 'Paid', date_paid: '2026-01-15' }])
    expect((await simulator.call('GET', '/api/billing/credit')).json).toEqual({ credit: 60 })
    expect(await getStatus(5004)).toBe('Pending')
    await advance('PT60S')
    expect(await getStatus(5004)).toBe('Active')
  })

  test('that is active and paid immediately adds no entries', async () => {
    const { simulator, timeline } = await startWith({ limits: pending.limits })
    await simulator.call('POST', '/api/product/101', order)
    expect(await timeline()).toEqual({ timeline: [], skipped: [] })
  })
})

test('an advance that reaches too many changes is refused, and nothing changes', async () => {
  const { simulator, admin, advance } = await startWith()
  const entry = { after: 'PT1S', every: 'PT1S', times: 1_000_000, add: { services: { 5002: { usage: 1 } } } }
  expect((await admin('POST', '/timeline', entry)).status).toBe(201)
  const before = getState(simulator)
  const { status, json } = await advance('P2D')
  expect(status).toBe(400)
  expect((json as { details: object[] }).details).toMatchObject([{ path: 'by' }])
  expect(getState(simulator)).toEqual(before)
})

test('rewind, reproduction, export and snapshots include the timeline', async () => {
  const { simulator, admin, timeline, getStatus, advance } = await startWith()
  const due = { id: 1, at: '2026-01-15T13:00:00.000Z' }
  await admin('POST', '/timeline', { after: 'PT1H', patch: suspension })
  await simulator.call('GET', '/api/services')
  expect((await admin('GET', '/requests/1/repro')).text).toContain(due.at)
  const exported = await admin<object>('GET', '/scenario')
  await admin('POST', '/snapshots')
  await advance('PT2H')
  expect(await getStatus(5001)).toBe('Suspended')
  const calls: [string, string, object?][] = [
    ['POST', '/requests/1/rewind'],
    ['PUT', '/scenario', exported.json],
    ['POST', '/snapshots/s1/restore'],
  ]
  for (const call of calls) {
    expect((await admin(...call)).status).toBe(200)
    expect((await timeline()).timeline).toMatchObject([due])
    expect(await getStatus(5001)).toBe('Active')
    await admin('DELETE', '/timeline')
  }
})

test.each<[name: string, clear: (admin: Awaited<ReturnType<typeof startWith>>['admin']) => Promise<unknown>]>(
  [
    ['DELETE /timeline', (admin) => admin('DELETE', '/timeline')],
    ['a patch to null', (admin) => admin('PATCH', '/accounts/reseller', { timeline: null })],
    ['an empty list', (admin) => admin('PATCH', '/accounts/reseller', { timeline: [] })],
    [
      'a patch of each entry',
      (admin) => admin('PATCH', '/accounts/reseller', { timeline: { 1: null, 2: null } }),
    ],
  ],
)('renewals stay in the timeline after %s, until they are switched off', async (_name, clear) => {
  const { admin, timeline, advance } = await startWith({ limits: { renewal: true } })
  const renewed = async () => (await timeline()).timeline.map(({ renew }) => renew)
  const before = await renewed()
  expect(before).toContain(5001)
  await admin('POST', '/timeline', { after: 'PT1H', patch: suspension, id: 2 })
  await clear(admin)
  expect(await renewed()).toEqual(before)
  const [{ id } = { id: 0 }] = (await timeline()).timeline
  expect(await admin('DELETE', `/timeline/${id}`)).toMatchObject({ status: 409 })
  expect((await advance('P13M')).json).toMatchObject({ unrenewed: 0, changes: expect.any(Number) as number })
  await admin('PATCH', '/accounts/reseller', { limits: { renewal: null } })
  expect(await renewed()).toEqual([])
})

test('a renewal written by hand stays beside the rule’s', async () => {
  const services = { 5001: { client: 11, product: 101, nextduedate: '2026-02-01' } }
  const byHand = { at: '2126-01-01T00:00:00.000Z', renew: 5001 }
  const { admin, timeline } = await startWith({ limits: { renewal: true }, services, timeline: [byHand] })
  const renewals = async () => (await timeline()).timeline.map(({ at }) => at)
  expect(await renewals()).toEqual(['2026-02-01T00:00:00.000Z', byHand.at])
  await admin('PATCH', '/accounts/reseller', { services: { 5001: { nextduedate: '2026-02-05' } } })
  expect(await renewals()).toEqual(['2026-02-05T00:00:00.000Z', byHand.at])
  await admin('DELETE', '/timeline')
  expect(await renewals()).toEqual(['2026-02-05T00:00:00.000Z'])
})

test('an advance counts the changes, and the services that fell due while renewals are off', async () => {
  const { admin, advance } = await startWith()
  await admin('POST', '/timeline', { after: 'PT1H', patch: suspension })
  expect((await advance('PT2H')).json).toMatchObject({ changes: 1, unrenewed: 0 })
  await admin('PATCH', '/accounts/reseller', { services: { 5001: { status: 'Active' } } })
  await admin('POST', '/timeline', { after: 'PT1H', renew: 5001 })
  expect((await advance('P1M')).json, 'one is renewed').toMatchObject({ changes: 1, unrenewed: 1 })
})

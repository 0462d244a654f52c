import { describe, expect, it, test } from 'vitest'
import { assumptionValues } from '../../src/service/values.ts'
import { noon, scenarioWith } from '../support/scenario.ts'
import { cloneSimulator, start, type TestSimulator, getState } from '../support/start.ts'

/* Values at the limits of counters are refused as input, or handled correctly. */

const largest = 9_000_000_000

const patch = ({ call }: TestSimulator, body: object) =>
  call<{ details: { path: string; message: string }[] }>('PATCH', '/__admin/accounts/reseller', { body })

const order = ({ call }: TestSimulator, pid = 202) =>
  call<{ serviceId: number; orderId: number; invoiceId: number }>('POST', `/api/product/${pid}`, {
    body: { clientid: 11 },
  })

describe('counts', () => {
  const session = { server: 'us1', session: 'abc', ip: '198.18.0.1' }

  it('wrap around when a session rotates, a list is updated, or a fault counts', async () => {
    const simulator = await start({ scenario: scenarioWith({ limits: { updateListInterval: 0 } }) })
    const end = 1_000_000_000
    const patched = await patch(simulator, {
      services: {
        5001: { list_version: end, ips: null, errors: [], inactive: [], ip_count: 1 },
        5002: { sticky: { sessions: [{ ...session, rotations: end }] } },
      },
      faults: [{ operation: 'getCredit', respond: { status: 503 }, seen: end, used: end }],
    })
    expect(patched.status, patched.text).toBe(200)
    const addresses = ['198.18.0.1']
    const lists: string[] = []
    for (let i = 0; i < 3; i++) {
      const rotated = await simulator.call<{ ip: string }>('GET', '/api/sticky/rotate/5002/us1/abc')
      expect(rotated.json.ip).not.toBe(addresses.at(-1))
      addresses.push(rotated.json.ip)
      await simulator.call('PUT', '/api/service/5001', { body: { update_list: 'true' } })
      lists.push((await simulator.call('GET', '/api/iplist/http-ip/txt/5001')).text)
      expect((await simulator.call('GET', '/api/billing/credit')).status).toBe(503)
    }
    expect(new Set(lists).size).toBe(3)
    await cloneSimulator(simulator)
  })

  it('let a session rotate to another address even if it already has the next one', async () => {
    const simulator = await start({ scenario: scenarioWith() })
    const rotate = () => simulator.call<{ ip: string }>('GET', '/api/sticky/rotate/5002/us1/abc')
    const next = (await rotate()).json.ip
    await patch(simulator, { services: { 5002: { sticky: { sessions: [{ ...session, ip: next }] } } } })
    expect((await rotate()).json.ip).not.toBe(next)
  })
})

describe('ids', () => {
  it.each([[{ activation: 60, payment: 60 }], [{ renewal: true }]])(
    'of timeline entries can run out; after that, %j schedules nothing',
    async (limits) => {
      const next = { timeline: largest - 1 }
      const assumptions = { orderedService: 'Pending', orderedInvoice: 'Unpaid' }
      const services = { 5002: { client: 11, product: 202, status: 'Cancelled' } }
      const account = { next, limits, assumptions, services, timeline: [] }
      const simulator = await start({ scenario: scenarioWith(account, { clock: noon }) })
      for (let i = 0; i < 2; i++) expect((await order(simulator, 101)).status).toBe(200)
      await cloneSimulator(simulator)
      const { json } = await simulator.call<{ timeline: { id: number }[] }>('GET', '/__admin/timeline')
      expect(json.timeline.map(({ id }) => id)).toEqual([largest - 1])
    },
  )

  it('are assigned up to the last; after that, orders are refused and not paid', async () => {
    const simulator = await start({ scenario: scenarioWith({ next: { service: largest - 1 } }) })
    expect((await order(simulator, 101)).json.serviceId).toBe(largest - 1)
    const before = getState(simulator)
    const refused = await order(simulator, 101)
    expect(refused).toMatchObject({ status: 422, headers: { 'sim-case': 'product-not-found' } })
    expect(refused.headers['sim-reason']).toContain('no id below 9000000000 is left')
    expect(getState(simulator)).toEqual(before)
    const other = await cloneSimulator(simulator)
    expect((await other.call('GET', `/api/service/${largest - 1}`)).status).toBe(200)
    expect((await order(other, 101)).status).toBe(422)
  })

  it.each([9_000_000_005, 9_999_999_999])(
    'of new records don’t overwrite the existing record %d',
    async (high) => {
      const service = { client: 11, product: 101, bindedip: '192.0.2.99', orderid: high }
      const invoice = { serviceid: high, status: 'Paid' }
      const records = { services: { [high]: service }, invoices: { [high]: invoice } }
      const simulator = await start({ scenario: scenarioWith(records) })
      const before = (await simulator.call('GET', `/api/service/${high}`)).json
      for (let i = 0; i < 3; i++)
        for (const id of Object.values((await order(simulator)).json)) expect(id).not.toBe(high)
      expect((await simulator.call('GET', `/api/service/${high}`)).json).toEqual(before)
      await cloneSimulator(simulator)
    },
  )

  it.each(assumptionValues.productSort)(
    'order records numerically, also those with equal prices: %s',
    async (productSort) => {
      const product = { productName: 'A', price: 1, product_type: 'ppr' }
      const ids = [9_999_999_999, 4_294_967_295, 5, 4_294_967_294, 10, 7_000_000_000]
      const { call } = await start({
        scenario: scenarioWith({
          products: Object.fromEntries(ids.map((id) => [id, product])),
          clients: Object.fromEntries(ids.map((id) => [id, {}])),
          services: {},
          assumptions: { productSort },
        }),
      })
      const sorted = ids.toSorted((a, b) => a - b)
      for (const path of ['clients', 'products', 'products/orderby/price']) {
        const { json } = await call<{ id?: number; productId?: number }[]>('GET', `/api/${path}`)
        expect(
          json.map(({ id, productId }) => id ?? productId),
          path,
        ).toEqual(sorted)
      }
    },
  )
})

test('a service due in the year 0 is not registered before that year', async () => {
  const simulator = await start({ scenario: scenarioWith({}, { clock: noon }) })
  await patch(simulator, { services: { 6000: { client: 11, product: 101, nextduedate: '0000-01-31' } } })
  const other = await cloneSimulator(simulator)
  expect((await other.call('GET', '/api/service/6000')).json).toMatchObject({ regdate: '0000-01-01' })
})

describe('the end of the calendar', () => {
  const end = '9899-12-31T23:59:59.999Z'

  it.each([
    ['is frozen', { now: end, frozen: true }],
    ['runs', { now: end, frozen: false }],
  ])('a clock that %s there: requests still work, and the clock can be set back', async (_how, clock) => {
    const simulator = await start({ scenario: scenarioWith({}, { clock: noon }) })
    expect((await simulator.call('PUT', '/__admin/clock', { body: clock })).status).toBe(200)
    const { json } = await order(simulator, 101)
    expect((await simulator.call('GET', `/api/service/${json.serviceId}`)).json).toMatchObject({
      regdate: '9899-12-31',
      nextduedate: '9900-01-31',
    })
    const session = { server: 'us1', session: 'abc' }
    await patch(simulator, {
      services: {
        5002: { sticky: { sessions: [session] } },
        6000: { client: 11, product: 101, regdate: '9899-12-31', billingcycle: 'Triennially' },
      },
    })
    expect((await simulator.call('GET', '/api/sticky/rotate/5002/us1/abc')).json).toMatchObject({
      expires_at: '9900-01-01 00:09:59',
    })
    await simulator.call('PUT', '/api/service/5001', { body: { update_list: 'true' } })
    const throttled = await simulator.call('PUT', '/api/service/5001', { body: { update_list: 'true' } })
    expect(throttled.text).toContain('9900-01-01 01:00:00')
    const other = await cloneSimulator(simulator)
    expect((await other.call('GET', '/__admin/clock')).json).toEqual({ ...clock, rate: 1 })
  })
})

import { describe, expect, it } from 'vitest'
import { assumptionValues } from '../../src/service/values.ts'
import { scenarioWith } from '../support/scenario.ts'
import { cloneSimulator, start, type TestSimulator, getState } from '../support/start.ts'

/* Values at the limits of counters are refused as input, or handled correctly. */

const largest = 9_000_000_000

const order = ({ call }: TestSimulator, pid = 202) =>
  call<{ serviceId: number; orderId: number; invoiceId: number }>('POST', `/api/product/${pid}`, {
    body: { clientid: 11 },
  })

describe('ids', () => {
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

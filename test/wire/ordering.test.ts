import { describe, expect, it } from 'vitest'
import type { ResponseBodyOf } from '../../src/service/operations/Operation.ts'
import { start, type TestSimulator } from '../support/start.ts'
import { products, scenarioWith } from '../support/scenario.ts'

async function order(
  { call }: TestSimulator,
  pid: number,
  body: object = { clientid: 11 },
): Promise<{ status: number; json: ResponseBodyOf<'orderService'>; case: unknown }> {
  const { status, json, headers } = await call<ResponseBodyOf<'orderService'>>(
    'POST',
    `/api/product/${pid}`,
    { body },
  )
  return { status, json, case: headers['sim-case'] }
}

async function read<T = unknown>({ call }: TestSimulator, path: string): Promise<T> {
  return (await call<T>('GET', `/api/${path}`)).json
}

describe('an order', () => {
  it('creates service, order and invoice, and subtracts the price from the credit', async () => {
    const simulator = await start({ scenario: scenarioWith() })
    const { status, json } = await order(simulator, 101, { clientid: 11, setip: '192.0.2.77' })
    expect(status).toBe(200)
    expect(json).toEqual({ serviceId: 5007, orderId: 7007, invoiceId: 9004, amount: 20, ip: '192.0.2.77' })
    expect(await read(simulator, 'service/5007')).toEqual({
      service_id: 5007,
      orderid: 7007,
      product_name: 'Static 10',
      regdate: '2026-01-15',
      nextduedate: '2026-02-15',
      status: 'Active',
      billingcycle: 'Monthly',
      username: expect.stringMatching(/^\w+$/),
      password: expect.stringMatching(/^\w{8,}$/),
      bindedip: '192.0.2.77',
      product_type: 'fpr',
      ip_count: 10,
      price: 20,
    })
    expect(await read(simulator, 'billing/invoice/9004')).toEqual([
      {
        id: 9004,
        description: 'Static 10, order 7007',
        status: 'Paid',
        created_at: '2026-01-15',
        date_paid: '2026-01-15',
        amount: 20,
        paymentmethod: 'credit',
        serviceid: 5007,
      },
    ])
    expect(await read(simulator, 'billing/credit')).toEqual({ credit: 80 })
    expect(await read<object[]>(simulator, 'services')).toHaveLength(7)
  })

  it('without setip returns the first address of its list, but binds none', async () => {
    const simulator = await start({ scenario: scenarioWith() })
    const { json } = await order(simulator, 101)
    expect(await read(simulator, `service/${json.serviceId}`)).not.toHaveProperty('bindedip')
    const list = await read<string[]>(simulator, `iplist/http-ip/json/${json.serviceId}`)
    expect(list).toHaveLength(10)
    expect(list[0]).toBe(`${json.ip}:8080`)
  })

  it.each([
    [201, 49.9, 50.1, 'Monthly'],
    [202, 0, 100, 'Free'],
  ])('of the rotating product %d creates a rotating service', async (pid, amount, credit, billingcycle) => {
    const simulator = await start({ scenario: scenarioWith() })
    const { status, json } = await order(simulator, pid)
    expect({ status, amount: json.amount }).toEqual({ status: 200, amount })
    expect(await read(simulator, `service/${json.serviceId}`)).toMatchObject({ billingcycle })
    expect(await read(simulator, `stats/${json.serviceId}`)).toEqual([])
    expect(await read(simulator, `sticky/list/${json.serviceId}`)).toEqual([])
    expect(await read(simulator, 'billing/credit')).toEqual({ credit })
  })
})

describe('money', () => {
  const dime = { ...products[101], price: 0.1 }

  it('a hundred orders of 0.10 from 10.00 leave 0.00', async () => {
    const simulator = await start({
      scenario: scenarioWith({ credit: 10, products: { 301: dime }, services: {}, invoices: {} }),
    })
    for (let i = 1; i <= 100; i++) {
      expect((await order(simulator, 301)).status).toBe(200)
      expect(await read(simulator, 'billing/credit')).toEqual({ credit: (1000 - i * 10) / 100 })
    }
    expect((await order(simulator, 301)).case).toBe('insufficient-funds')
  })

  it.each([
    [20, 20, 0],
    [19.99, 20, undefined],
    [1e12, 0.01, 999_999_999_999.99],
    [99_999_999_999.99, 0.02, 99_999_999_999.97],
  ])('with a credit of %d, an order of %d leaves %d', async (credit, price, left) => {
    const records = { products: { 301: { ...dime, price } }, services: {}, invoices: {} }
    const simulator = await start({ scenario: scenarioWith({ credit, ...records }) })
    expect((await order(simulator, 301)).status).toBe(left === undefined ? 422 : 200)
    expect(await read(simulator, 'billing/credit')).toEqual({ credit: left ?? credit })
  })
})

it('an order with an unpaid invoice still requires enough credit', async () => {
  const simulator = await start({
    scenario: scenarioWith({ credit: 5, assumptions: { orderedInvoice: 'Unpaid' } }),
  })
  expect((await order(simulator, 101)).case).toBe('insufficient-funds')
})

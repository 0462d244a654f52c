import assert from 'node:assert/strict'
import type { Child } from './Child.ts'

interface Order {
  serviceId: number
  orderId: number
  invoiceId: number
}

/** The responses that a client received, and its pending requests. */
export class Ledger {
  orders: Order[] = []
  /** Number of pending orders */
  pendingOrders = 0
  /** Number of the last confirmed bulk change, and of the pending one */
  readonly bulk = { confirmed: 0, sent: 0 }
}

/** Places orders until the server stops. */
export async function keepOrdering(child: Child, ledger: Ledger): Promise<void> {
  for (;;) {
    ledger.pendingOrders++
    const { status, json } = await child.call<Order>('POST', '/api/product/101', { clientid: 11 })
    assert.equal(status, 200, JSON.stringify(json))
    ledger.orders.push(json)
    ledger.pendingOrders--
  }
}

export const price = 0.1

export const scenario = {
  description: 'An account under load while the process is killed.',
  accounts: {
    reseller: {
      password: 'secret',
      credit: 1_000_000,
      clients: { 11: { email: 'ana@example.com' } },
      products: { 101: { productName: 'Static', price, product_type: 'fpr', ip_count: 2 } },
      services: Object.fromEntries([1, 2, 3, 4].map((id) => [id, { client: 11, product: 101 }])),
    },
  },
}

/** Changes a thousand records at a time, until the server stops. The log soon grows until the file is rewritten. */
export async function keepPatching(child: Child, { bulk }: Ledger): Promise<void> {
  for (;;) {
    bulk.sent++
    const email = `${bulk.sent}@a-name-that-is-rather-long.example.com`
    const clients = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [100 + i, { email }]))
    const { status, text } = await child.call('PATCH', '/__admin/accounts/reseller', { clients })
    assert.equal(status, 200, text.slice(0, 200))
    bulk.confirmed = bulk.sent
  }
}

/**
 * Checks that the state has every confirmed change, and every unconfirmed change either completely or not at all. Then
 * counts all current records as confirmed.
 */
export async function checkLedger(child: Child, ledger: Ledger): Promise<void> {
  const get = async <T>(path: string): Promise<T> => (await child.call<T>('GET', `/api${path}`)).json
  const services = await get<{ service_id: number; orderid: number }[]>('/services')
  const invoices =
    await get<{ id: number; serviceid: number; amount: number; status: string }[]>('/billing/invoices')
  const { credit } = await get<{ credit: number }>('/billing/credit')
  const clients = await get<{ id: number; email: string }[]>('/clients')

  const byService = new Map(services.map((one) => [one.service_id, one.orderid]))
  const current = invoices.map(({ id, serviceid }): Order => {
    return { serviceId: serviceid, orderId: byService.get(serviceid) ?? 0, invoiceId: id }
  })
  assert.equal(services.length, 4 + current.length, 'each order has its invoice')
  const byInvoice = new Map(current.map((one) => [one.invoiceId, one]))
  for (const { serviceId, orderId, invoiceId } of ledger.orders)
    assert.deepEqual(byInvoice.get(invoiceId), { serviceId, orderId, invoiceId }, 'a confirmed order exists')
  for (const { amount, status } of invoices) assert.deepEqual([amount, status], [price, 'Paid'])
  assert.equal(credit, (100_000_000 - current.length * 10) / 100, 'the credit equals the payments')
  const unconfirmed = current.length - ledger.orders.length
  assert.ok(
    unconfirmed <= ledger.pendingOrders,
    `${unconfirmed} unconfirmed orders, but only ${ledger.pendingOrders} were pending`,
  )

  const { bulk } = ledger
  const [mark = 0, ...others] = new Set(
    clients.filter(({ id }) => id >= 100).map(({ email }) => Number.parseInt(email)),
  )
  assert.deepEqual(others, [], 'all records come from one change')
  assert.ok(mark === bulk.confirmed || mark === bulk.sent, `${mark}, not ${bulk.confirmed} or ${bulk.sent}`)

  ledger.orders = current
  ledger.pendingOrders = 0
  bulk.confirmed = mark
  bulk.sent = mark
}

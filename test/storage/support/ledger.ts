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
  /** Pending orders */
  open = 0
  /** Number of the last confirmed bulk change, and of the pending one */
  readonly bulk = { answered: 0, asked: 0 }
}

/** Places orders until the server stops. */
export async function keepOrdering(child: Child, ledger: Ledger): Promise<void> {
  for (;;) {
    ledger.open++
    const { status, json } = await child.call<Order>('POST', '/api/product/101', { clientid: 11 })
    assert.equal(status, 200, JSON.stringify(json))
    ledger.orders.push(json)
    ledger.open--
  }
}

export const price = 0.1

export const scenario = {
  description: 'What is under load when the process is killed.',
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

/** Makes bulk changes of a thousand records, which soon make the log so long that the file is rewritten. */
export async function keepPatching(child: Child, { bulk }: Ledger): Promise<void> {
  for (;;) {
    bulk.asked++
    const email = `${bulk.asked}@a-name-that-is-rather-long.example.com`
    const clients = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [100 + i, { email }]))
    const { status, text } = await child.call('PATCH', '/__admin/accounts/reseller', { clients })
    assert.equal(status, 200, text.slice(0, 200))
    bulk.answered = bulk.asked
  }
}

/**
 * Checks that every confirmed change is in the state, and every unconfirmed one is there completely or not at all.
 * Counts all current records as answered.
 */
export async function check(child: Child, ledger: Ledger): Promise<void> {
  const get = async <T>(path: string): Promise<T> => (await child.call<T>('GET', `/api${path}`)).json
  const services = await get<{ service_id: number; orderid: number }[]>('/services')
  const invoices =
    await get<{ id: number; serviceid: number; amount: number; status: string }[]>('/billing/invoices')
  const { credit } = await get<{ credit: number }>('/billing/credit')
  const clients = await get<{ id: number; email: string }[]>('/clients')

  const byService = new Map(services.map((one) => [one.service_id, one.orderid]))
  const made = invoices.map(({ id, serviceid }): Order => {
    return { serviceId: serviceid, orderId: byService.get(serviceid) ?? 0, invoiceId: id }
  })
  assert.equal(services.length, 4 + made.length, 'each order has its invoice')
  const byInvoice = new Map(made.map((one) => [one.invoiceId, one]))
  for (const { serviceId, orderId, invoiceId } of ledger.orders)
    assert.deepEqual(byInvoice.get(invoiceId), { serviceId, orderId, invoiceId }, 'it was answered')
  for (const { amount, status } of invoices) assert.deepEqual([amount, status], [price, 'Paid'])
  assert.equal(credit, (100_000_000 - made.length * 10) / 100, 'what is paid is paid for')
  const unheard = made.length - ledger.orders.length
  assert.ok(unheard <= ledger.open, `${unheard} orders that nobody heard of, ${ledger.open} under way`)

  const { bulk } = ledger
  const [mark = 0, ...more] = new Set(
    clients.filter(({ id }) => id >= 100).map(({ email }) => Number.parseInt(email)),
  )
  assert.deepEqual(more, [], 'all records are of one change')
  assert.ok(mark === bulk.answered || mark === bulk.asked, `${mark}, not ${bulk.answered} or ${bulk.asked}`)

  ledger.orders = made
  ledger.open = 0
  bulk.answered = mark
  bulk.asked = mark
}

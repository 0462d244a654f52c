import assert from 'node:assert/strict'
import type { Child } from './Child.ts'

interface Invoice {
  id: number
  serviceid: number
  amount: number
  status: string
}
interface Summary {
  service_id: number
  orderid: number
}
export interface Ids {
  serviceId: number
  orderId: number
  invoiceId: number
}

/** What a client was answered, and what it has asked and was not answered yet. */
export class Ledger {
  readonly orders: Ids[] = []
  /** Service id → number of its last update that was answered, and of the one under way */
  readonly updates = new Map<number, { answered: number; asked: number }>()
  /** Orders under way */
  open = 0
  /** The same for the change of many records at once */
  readonly bulk = { answered: 0, asked: 0 }

  /** Orders and updates that were answered */
  get changes(): number {
    return this.orders.length + [...this.updates.values()].reduce((sum, { answered }) => sum + answered, 0)
  }
}

/** 100 in credit is a thousand orders of 0.10. */
export const scenario = {
  description: 'What is under load when the process is killed.',
  accounts: {
    reseller: {
      password: 'secret',
      credit: 1_000_000,
      clients: { 11: { email: 'ana@example.com' } },
      products: { 101: { productName: 'Static', price: 0.1, product_type: 'fpr', ip_count: 2 } },
      services: Object.fromEntries(
        [1, 2, 3, 4].map((id) => [
          id,
          { client: 11, product: 101, bindedip: `10.0.0.${id}`, password: 'p0' },
        ]),
      ),
    },
  },
}

/** The address and password that the n-th update of a service sets: both or neither. */
export function updateOf(service: number, n: number): { setip: string; password: string } {
  return {
    setip: `10.${service}.${(n >> 8) & 255}.${n & 255}`,
    password: Buffer.from(`p${n}`).toString('base64'),
  }
}

/** Orders until the server is gone. */
export async function keepOrdering(child: Child, ledger: Ledger): Promise<void> {
  for (;;) {
    ledger.open++
    const { status, body } = await child.call<Ids>('POST', '/api/product/101', { clientid: 11 })
    assert.equal(status, 200, JSON.stringify(body))
    ledger.orders.push(body)
    ledger.open--
  }
}

/** Updates one service again and again until the server is gone. */
export async function keepUpdating(child: Child, ledger: Ledger, service: number): Promise<void> {
  const mark = ledger.updates.get(service) ?? { answered: 0, asked: 0 }
  ledger.updates.set(service, mark)
  for (;;) {
    mark.asked++
    const { status, body } = await child.call('PUT', `/api/service/${service}`, updateOf(service, mark.asked))
    assert.equal(status, 200, JSON.stringify(body))
    mark.answered = mark.asked
  }
}

/** Changes that soon make the log so long that the file is replaced: several thousand records, or none of them. */
export async function keepPatching(child: Child, ledger: Ledger): Promise<void> {
  const { bulk } = ledger
  for (;;) {
    bulk.asked++
    const clients = Object.fromEntries(
      Array.from({ length: 1000 }, (_, i) => [
        100 + i,
        { email: `${bulk.asked}@a-name-that-is-rather-long.example.com` },
      ]),
    )
    const { status, body } = await child.call('PATCH', '/__admin/accounts/reseller', { clients })
    assert.equal(status, 200, JSON.stringify(body).slice(0, 200))
    bulk.answered = bulk.asked
  }
}

/** Every change that was answered is there, none is there in half, and what was not answered is there whole or not at all. */
export async function check(child: Child, ledger: Ledger): Promise<void> {
  const services = (await child.call<Summary[]>('GET', '/api/services')).body
  const invoices = (await child.call<Invoice[]>('GET', '/api/billing/invoices')).body
  const { credit } = (await child.call<{ credit: number }>('GET', '/api/billing/credit')).body
  const byInvoice = new Map(invoices.map((invoice) => [invoice.id, invoice]))
  const byService = new Map(services.map((service) => [service.service_id, service]))
  for (const { serviceId, orderId, invoiceId } of ledger.orders) {
    assert.equal(byService.get(serviceId)?.orderid, orderId, `service ${serviceId} was answered and is there`)
    assert.deepEqual(byInvoice.get(invoiceId), {
      ...byInvoice.get(invoiceId),
      serviceid: serviceId,
      amount: 0.1,
      status: 'Paid',
    })
  }
  const ordered = services.filter(({ service_id }) => service_id > 4)
  assert.deepEqual(
    ordered.map(({ service_id }) => service_id),
    invoices.map(({ serviceid }) => serviceid),
    'each order has its invoice',
  )
  assert.equal(credit, (100_000_000 - invoices.length * 10) / 100, 'what is paid is paid for')
  await checkBulk(child, ledger)
  const unheard = ordered.length - ledger.orders.length
  assert.ok(
    unheard >= 0 && unheard <= ledger.open,
    `${unheard} orders that nobody heard of, ${ledger.open} under way`,
  )
  for (const [service, mark] of ledger.updates) {
    const { bindedip, password } = (
      await child.call<{ bindedip: string; password: string }>('GET', `/api/service/${service}`)
    ).body
    const either = [mark.answered, mark.asked].map((n) =>
      n === 0 ? [`10.0.0.${service}`, 'p0'] : [updateOf(service, n).setip, `p${n}`],
    )
    assert.ok(
      either.some(([ip, word]) => ip === bindedip && word === password),
      `service ${service}: ${bindedip}, ${password} is none of ${JSON.stringify(either)}`,
    )
  }
}

async function checkBulk(child: Child, { bulk }: Ledger): Promise<void> {
  const all = (await child.call<{ id: number; email: string }[]>('GET', '/api/clients')).body
  const marks = new Set(all.filter(({ id }) => id >= 100).map(({ email }) => Number(email.split('@')[0])))
  const [mark = 0, ...more] = marks
  assert.deepEqual(more, [], 'all records are of one change')
  assert.ok(
    mark === bulk.answered || mark === bulk.asked,
    `${mark} is neither ${bulk.answered} nor ${bulk.asked}`,
  )
  bulk.answered = mark
  bulk.asked = mark
}

/** What is there now counts as answered: the next round starts from it. */
export async function settle(child: Child, ledger: Ledger): Promise<void> {
  const services = (await child.call<Summary[]>('GET', '/api/services')).body
  const invoices = (await child.call<Invoice[]>('GET', '/api/billing/invoices')).body
  const byService = new Map(services.map((service) => [service.service_id, service]))
  ledger.orders.splice(
    0,
    Infinity,
    ...invoices.map(({ id, serviceid }) => ({
      invoiceId: id,
      serviceId: serviceid,
      orderId: byService.get(serviceid)?.orderid ?? 0,
    })),
  )
  ledger.open = 0
  for (const [service, mark] of ledger.updates) {
    const { password } = (await child.call<{ password: string }>('GET', `/api/service/${service}`)).body
    mark.answered = Number(password.slice(1))
    mark.asked = mark.answered
  }
}

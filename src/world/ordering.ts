import { cents, generatedIdLimit, money, subtract } from './numbers.ts'
import { fillRecord } from './fields.ts'
import { bindingConflict } from './invariants.ts'
import { firstAddress, isIpv4 } from './addresses.ts'
import { refuse } from './Refusal.ts'
import { dateOf, instantOf, lastInstant, type Instant } from './time.ts'
import type { InvoiceStatus, ServiceStatus } from './values.ts'
import type { Product, TimelineEntry, World, WorldChange } from './World.ts'

/** The result of an order: the ids of the three records, USD, and an address. */
export interface Ordered {
  serviceId: number
  orderId: number
  invoiceId: number
  amount: number
  ip: string
}

/**
 * Orders a product for a client: creates service, order and invoice in one change.
 * @param setip address to bind, fpr products only
 */
export function order(
  world: World,
  pid: string,
  { clientid, setip }: { clientid: number; setip?: string | undefined },
  now: Instant,
): { ordered: Ordered; change: WorldChange } {
  const product = findProduct(world, pid)
  if (!world.clients.has(clientid)) refuse('client-not-found', `there is no client ${clientid}`)
  if (setip !== undefined) requireBindable(world, product, pid, setip)
  if (cents(world.credit) < cents(product.price))
    refuse('insufficient-funds', `credit ${money(world.credit)} is less than price ${money(product.price)}`)

  const { service: serviceId, order: orderId, invoice: invoiceId } = world.next
  if (Math.max(serviceId, orderId, invoiceId) >= generatedIdLimit)
    refuse(
      'product-not-found',
      `no id below ${generatedIdLimit} is left for another service, order or invoice`,
    )
  const id = String(serviceId)
  const regdate = dateOf(now)
  const { orderedService: status, orderedInvoice } = world.assumptions
  const service = fillRecord(
    'services',
    { client: clientid, product: Number(pid), status, regdate, bindedip: setip ?? '' },
    { id, seed: world.seed, product, now, newOrder: () => orderId, newAddress: () => '' },
  )
  const invoice = fillRecord('invoices', { serviceid: serviceId, status: orderedInvoice }, { service, now })
  const amount = product.price
  const services = { [id]: service }
  const invoices = { [invoiceId]: invoice }
  const next = { service: serviceId + 1, order: orderId + 1, invoice: invoiceId + 1 }
  const isCharged = orderedInvoice === 'Paid' && amount > 0
  const due = dueOf(world, { id, status, invoiceId, orderedInvoice, amount }, now)
  const change: WorldChange = { services, invoices, next }
  if (isCharged) change.credit = subtract(world.credit, amount)
  if (due.length > 0) {
    change.timeline = Object.fromEntries(due)
    change.next = { ...next, timeline: world.next.timeline + due.length }
  }
  return {
    ordered: { serviceId, orderId, invoiceId, amount, ip: setip ?? firstAddress(world, id, service) ?? '' },
    change,
  }
}

interface Pending {
  id: string
  status: ServiceStatus
  invoiceId: number
  orderedInvoice: InvoiceStatus
  amount: number
}

/** What becomes of an order by itself: the documentation shows no transitions, so only where `limits` ask for it. */
function dueOf(
  { limits, next }: World,
  { id, status, invoiceId, orderedInvoice, amount }: Pending,
  now: Instant,
): [number, TimelineEntry][] {
  const entries: TimelineEntry[] = []
  const after = (seconds: number): Instant => Math.min(now + seconds * 1000, lastInstant)
  if (limits.activation !== undefined && status !== 'Active')
    entries.push({
      at: instantOf(after(limits.activation)),
      patch: { services: { [id]: { status: 'Active' } } },
      description: `service ${id} is activated`,
    })
  if (limits.payment !== undefined && orderedInvoice !== 'Paid') {
    const at = after(limits.payment)
    entries.push({
      at: instantOf(at),
      patch: { invoices: { [invoiceId]: { status: 'Paid', date_paid: dateOf(at) } } },
      add: { credit: -amount },
      description: `invoice ${invoiceId} is paid`,
    })
  }
  return entries.map((entry, i) => [next.timeline + i, entry])
}

/** Finds a product, hidden or not; refuses with `product-not-found` if there is none. */
export function findProduct(world: World, pid: string): Product {
  return world.products.get(pid) ?? refuse('product-not-found', `there is no product ${pid}`)
}

/** The documentation has no message for a bad `setip` in an order, so it counts as incorrect posted data. */
function requireBindable(world: World, product: Product, pid: string, setip: string): void {
  if (product.product_type !== 'fpr')
    refuse(
      'incorrect-posted-data',
      `setip is for fpr products only; product ${pid} is ${product.product_type}`,
    )
  if (!isIpv4(setip)) refuse('incorrect-posted-data', 'setip is not an IPv4 address in dotted decimal')
  const conflict = bindingConflict(world, setip)
  if (conflict !== undefined) refuse('incorrect-posted-data', `setip ${conflict}`)
}

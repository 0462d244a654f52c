import { serviceBoundTo } from './bindings.ts'
import { firstAddress } from './ipList.ts'
import { isIpv4 } from './ipv4.ts'
import { cents, money, subtract } from './money.ts'
import { own } from './own.ts'
import { generatedLogin } from './newService.ts'
import { refuse } from './Refusal.ts'
import { dateOf, nextDue, type Instant } from './time.ts'
import type { Invoice, Product, Service, World } from './World.ts'
import type { WorldChange } from './WorldChange.ts'

/** What was ordered: ids of the three records, USD, and an address. */
export interface Ordered {
  serviceId: number
  orderId: number
  invoiceId: number
  amount: number
  ip: string
}

/**
 * Orders a product for a client: service, order and invoice in one change, or none.
 * @param setip address to bind, fpr products only
 */
export function order(
  world: World,
  pid: string,
  { clientid, setip }: { clientid: number; setip?: string | undefined },
  now: Instant,
): { ordered: Ordered; change: WorldChange } {
  const product = findProduct(world, pid)
  if (!world.clients[clientid]) refuse('client-not-found', `there is no client ${clientid}`)
  if (setip !== undefined) requireBindable(world, product, pid, setip)
  if (cents(world.credit) < cents(product.price))
    refuse('insufficient-funds', `credit ${money(world.credit)} is less than price ${money(product.price)}`)

  const { service: serviceId, order: orderId, invoice: invoiceId } = world.next
  const today = dateOf(now)
  const billingcycle = product.price === 0 ? 'Free' : 'Monthly'
  const { username, password } = generatedLogin(world.seed, serviceId)
  const service: Service = {
    client: clientid,
    product: Number(pid),
    orderid: orderId,
    product_name: product.productName,
    product_type: product.product_type,
    price: product.price,
    regdate: today,
    nextduedate: nextDue(today, billingcycle),
    status: world.assumptions.orderedService,
    billingcycle,
    username,
    password,
  }
  if (product.product_type === 'fpr') {
    service.ip_count = product.ip_count ?? 1
    service.bindedip = setip ?? ''
  } else {
    service.usage = { limit: 10_000, stats: {} }
    service.sticky = { ttl: 10, sessions: [] }
  }
  const paid = world.assumptions.orderedInvoice === 'Paid'
  const invoice: Invoice = {
    description: `${product.productName}, order ${orderId}`,
    status: world.assumptions.orderedInvoice,
    created_at: today,
    amount: product.price,
    ...(paid && { date_paid: today }),
    paymentmethod: 'credit',
    serviceid: serviceId,
  }
  return {
    ordered: {
      serviceId,
      orderId,
      invoiceId,
      amount: product.price,
      ip: setip ?? firstAddress(world, String(serviceId), service) ?? '',
    },
    change: {
      ...(paid && product.price > 0 && { credit: subtract(world.credit, product.price) }),
      services: { [serviceId]: service },
      invoices: { [invoiceId]: invoice },
      next: { service: serviceId + 1, order: orderId + 1, invoice: invoiceId + 1 },
    },
  }
}

/** The product of that id, hidden or not; refused as `product-not-found` where there is none. */
export function findProduct(world: World, pid: string): Product {
  return own(world.products, pid) ?? refuse('product-not-found', `there is no product ${pid}`)
}

/** The document gives an order no message of its own for a bad `setip`: it is incorrect posted data. */
function requireBindable(world: World, product: Product, pid: string, setip: string): void {
  if (product.product_type !== 'fpr')
    refuse(
      'incorrect-posted-data',
      `setip is for fpr products only; product ${pid} is ${product.product_type}`,
    )
  if (!isIpv4(setip)) refuse('incorrect-posted-data', 'setip is not an IPv4 address in dotted decimal')
  const holder = serviceBoundTo(world, setip)
  if (holder !== undefined)
    refuse('incorrect-posted-data', `setip ${setip} is bound to service ${holder} already`)
}

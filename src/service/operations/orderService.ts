import { isIPv4 } from 'node:net'
import { fillRecord } from '../records.ts'
import { bindingConflict } from '../invariants.ts'
import { toCents, generatedIdLimit, formatMoney, subtract } from '../../world/numbers.ts'
import { refuseWith, type Refuse } from '../refuse.ts'
import { renewalEntry } from '../renewals.ts'
import { listAddresses } from '../addresses.ts'
import { findProduct } from '../services.ts'
import { formatDate, toIsoString, lastInstant, type Instant } from '../../world/time.ts'
import type { Invoice, Product, Service, TimelineEntry, World, WorldChange } from '../../world/World.ts'
import type { Operation, Run } from './Operation.ts'

const refuse: Refuse<'orderService'> = refuseWith

/** Orders a product for a client. Creates service, order and invoice in one change. */
const run: Run<'orderService'> = (input, world, now) => {
  const { pid } = input.requirePath()
  const product = findProduct(world, pid) // the path is validated before the body
  const { clientid: postedClientId, setip } = input.requireBody()
  const { seed, assumptions, next, credit } = world
  const { timeZone } = assumptions
  // The documentation doesn't say whether a string of digits is a number: assumption `looseNumbers`.
  if (typeof postedClientId === 'string' && assumptions.looseNumbers === 'refused')
    refuse(
      'incorrect-posted-data',
      `clientid is the string ${JSON.stringify(postedClientId)}; send the number ${postedClientId}`,
    )
  const clientid = Number(postedClientId)
  const amount = product.price
  if (!world.clients.has(clientid)) {
    // JSON numbers that large have lost their last digits.
    const id = Number.isSafeInteger(clientid) ? clientid : 'with an id above 9007199254740991'
    refuse('client-not-found', `there is no client ${id}`)
  }
  if (setip !== undefined) requireBindable(world, product, pid, setip)
  if (toCents(credit) < toCents(amount))
    refuse('insufficient-funds', `credit ${formatMoney(credit)} is less than price ${formatMoney(amount)}`)

  const { service: serviceId, order: orderId, invoice: invoiceId } = next
  if (Math.max(serviceId, orderId, invoiceId) >= generatedIdLimit)
    refuse(
      'product-not-found',
      `no id below ${generatedIdLimit} is left for another service, order or invoice`,
    )
  const service = fillRecord(
    'services',
    {
      client: clientid,
      product: Number(pid),
      orderid: orderId,
      status: assumptions.orderedService,
      regdate: formatDate(now, timeZone),
      bindedip: setip ?? '',
    },
    { id: String(serviceId), seed, now, timeZone, owner: product },
  )
  const invoice = fillRecord(
    'invoices',
    { serviceid: serviceId, status: assumptions.orderedInvoice },
    { id: String(invoiceId), seed, now, timeZone, owner: service },
  )
  const change: WorldChange = {
    services: { [serviceId]: service },
    invoices: { [invoiceId]: invoice },
    next: { service: serviceId + 1, order: orderId + 1, invoice: invoiceId + 1 },
  }
  if (invoice.status === 'Paid' && amount > 0) change.credit = subtract(credit, amount)
  // Entries for which no id is left aren't scheduled.
  const scheduled = scheduledEntries(world, [serviceId, service], [invoiceId, invoice], now).slice(
    0,
    generatedIdLimit - next.timeline,
  )
  if (scheduled.length > 0) {
    change.timeline = Object.fromEntries(scheduled.map((entry, i) => [next.timeline + i, entry]))
    change.next = { ...change.next, timeline: next.timeline + scheduled.length }
  }
  const ip = setip ?? listAddresses(world, String(serviceId), service, 1)[0] ?? ''
  return { body: { serviceId, orderId, invoiceId, amount, ip }, change }
}

/** The timeline entries of an order. The documentation shows no transitions, so `limits` must request them. */
function scheduledEntries(
  world: World,
  [serviceId, service]: [number, Service],
  [invoiceId, invoice]: [number, Invoice],
  now: Instant,
): TimelineEntry[] {
  const { activation, payment, renewal } = world.limits
  const entries: TimelineEntry[] = []
  if (activation !== undefined && service.status !== 'Active') {
    const description = `service ${serviceId} is activated`
    entries.push({ at: secondsLater(now, activation), activate: serviceId, description })
  }
  if (payment !== undefined && invoice.status !== 'Paid')
    entries.push({
      at: secondsLater(now, payment),
      pay: invoiceId,
      description: `invoice ${invoiceId} is paid`,
    })
  const renewing = renewal ? renewalEntry(world, serviceId, service, now) : undefined
  return renewing ? [...entries, renewing] : entries
}

function secondsLater(now: Instant, seconds: number): string {
  return toIsoString(Math.min(now + seconds * 1000, lastInstant))
}

/** The documentation has no message for an invalid `setip` in an order, so it counts as incorrect posted data. */
function requireBindable(world: World, { product_type }: Product, pid: string, setip: string): void {
  if (product_type !== 'fpr')
    refuse('incorrect-posted-data', `setip is for fpr products only; product ${pid} is ${product_type}`)
  if (!isIPv4(setip)) refuse('incorrect-posted-data', 'setip is not an IPv4 address in dotted decimal')
  const conflict = bindingConflict(world, setip)
  if (conflict !== undefined) refuse('incorrect-posted-data', `setip ${conflict}`)
}

export const orderService: Operation<'orderService'> = {
  run,
  dependsOnTime: false,
}

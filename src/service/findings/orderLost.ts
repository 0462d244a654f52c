import { historyKey, type FindingRule, type ObservedRequest } from '../../findings/FindingRule.ts'
import { getCreatedRecords, getVersion, isLostOrder, isOrder, knowsFrom, mayShowOrders } from './orders.ts'

export const orderLost: FindingRule<'order-lost'> = {
  name: 'order-lost',
  severity: 'high',
  description: 'It never learns of an order that was carried out and billed.',
  advice:
    'When the response to an order is lost, look for the order in GET /api/services or GET /api/billing/invoices, and record what you find.',
  leavesOrphans: true,
  // Orders whose response was received count, too, because a response may be marked as lost after its request was recorded.
  appliesTo: (request) => isOrder(request) || mayShowOrders(request) || showsCredit(request),
  key: historyKey,
  unresolved: unknownOrders,
  find: (requests) =>
    unknownOrders(requests).map((order) => {
      const { method, path } = order.entry()
      const records = getCreatedRecords(order).join(', ')
      const loss = order.record.isUndelivered
        ? 'never fully reached the client'
        : "came from an override and didn't show it"
      const message = `${method} ${path} was ${isBilled(order) ? 'ordered and billed' : 'ordered'}, but its response ${loss}, and no later response showed ${records}.`
      const hint = 'The credit that was read afterwards shows that an order was placed, but not which.'
      const isPaid = order.record.change?.credit !== undefined
      const isNoticeable = isPaid && requests.some((one) => showsCredit(one) && isReadAfter(one, order))
      return { message: isNoticeable ? `${message} ${hint}` : message, examples: [order] }
    }),
}

function isBilled({ record }: ObservedRequest): boolean {
  return Object.values(record.change?.invoices ?? {}).some((invoice) => (invoice?.amount ?? 0) > 0)
}

/** Whether the client got a response that shows the credit. */
function showsCredit({ record }: ObservedRequest): boolean {
  return record.operation === 'getCredit' && record.status === 200 && !record.isUndelivered && !record.forced
}

function isReadAfter(read: ObservedRequest, order: ObservedRequest): boolean {
  return getVersion(read) > getVersion(order)
}

/** The orders whose response was lost and that no response has shown. */
function unknownOrders(requests: readonly ObservedRequest[]): ObservedRequest[] {
  const lost = requests.filter(isLostOrder)
  if (lost.length === 0) return []
  const isKnown = knowsFrom(requests)
  return lost.filter((order) => !isKnown(order))
}

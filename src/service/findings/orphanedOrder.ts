import { historyKey, type FindingRule, type ObservedRequest } from '../../findings/FindingRule.ts'
import { concernsOrders, isLostOrder, knowsFrom, getCreatedRecords } from './orders.ts'

export const orphanedOrder: FindingRule<'orphaned-order'> = {
  name: 'orphaned-order',
  severity: 'high',
  description: 'It never learns of an order that was executed and paid for.',
  advice:
    'When the response to an order is lost, look for the order in GET /api/services or GET /api/billing/invoices, and record what you find.',
  leavesOrphans: true,
  appliesTo: concernsOrders,
  key: historyKey,
  unresolved: unknownOrders,
  find: (requests) =>
    unknownOrders(requests).map((order) => {
      const { method, path } = order.entry()
      const records = getCreatedRecords(order).join(', ')
      const loss = order.record.isUndelivered
        ? 'never fully reached the client'
        : "came from an override and didn't show it"
      const message = `${method} ${path} was executed, but its response ${loss}, and no later response showed ${records}.`
      return { message, examples: [order] }
    }),
}

/** The orders whose response was lost and that no response has shown. */
function unknownOrders(requests: readonly ObservedRequest[]): ObservedRequest[] {
  const lost = requests.filter(isLostOrder)
  if (lost.length === 0) return []
  const isKnown = knowsFrom(requests)
  return lost.filter((order) => !isKnown(order))
}

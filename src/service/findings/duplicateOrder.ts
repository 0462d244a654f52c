import { worldOf, type FindingRule, type Found, type SeenRequest } from '../../findings/FindingRule.ts'
import { isOrder, isUnanswered } from './orders.ts'

export const duplicateOrder: FindingRule<'duplicate-order'> = {
  name: 'duplicate-order',
  severity: 'high',
  description: 'It sends an order again after the response was lost, so the order is paid twice.',
  advice:
    'The API has no idempotency key: when the response to an order is lost, look for it in GET /api/services or GET /api/billing/invoices before ordering again.',
  addsRecords: true,
  concerns: isOrder,
  key: (order) => [worldOf(order), Object.values(order.path), String(order.body['clientid'])],
  /** The time from a lost response to the next received one. */
  find(orders) {
    const found: Found[] = []
    let open: SeenRequest[] = []
    for (const order of orders.toSorted(byArrival)) {
      const isLost = isUnanswered(order)
      if (open.length > 0 || isLost) open.push(order)
      if (isLost) continue
      found.push(...reportOf(open))
      open = []
    }
    return [...found, ...reportOf(open)]
  },
}

/** The record of an abandoned request may come after that of its retry. */
function byArrival({ record: one }: SeenRequest, { record: other }: SeenRequest): number {
  return (one.version ?? 0) - (other.version ?? 0)
}

function reportOf(orders: SeenRequest[]): Found[] {
  const [first] = orders
  if (!first || orders.length < 2) return []
  const { method, path } = first.entry()
  const times = orders.length === 2 ? 'twice' : `${orders.length} times`
  const message = `${method} ${path} was sent again after its response was lost, and the order was paid ${times}.`
  return [{ message, examples: orders }]
}

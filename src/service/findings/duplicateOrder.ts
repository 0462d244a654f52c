import {
  groups,
  worldOf,
  type FindingRule,
  type Found,
  type SeenRequest,
} from '../../findings/FindingRule.ts'
import { concernsOrders, isLostOrder, isOrder, isUnanswered, knowsFrom, versionOf } from './orders.ts'

export const duplicateOrder: FindingRule<'duplicate-order'> = {
  name: 'duplicate-order',
  severity: 'high',
  description: 'It sends an order again after the response was lost, so the order is paid twice.',
  advice:
    'The API has no idempotency key: when the response to an order is lost, look for it in GET /api/services or GET /api/billing/invoices before ordering again.',
  addsRecords: true,
  concerns: concernsOrders,
  key: worldOf,
  unresolved: (requests) => requests.filter(isLostOrder),
  find: (requests) =>
    groups(requests.filter(isOrder), ({ path, body }) => [Object.values(path), String(body['clientid'])])
      .flatMap(repeated)
      .map((orders) => foundOf(orders, requests)),
}

/** Equal orders, each from a lost response to the next received one. */
function repeated(orders: readonly SeenRequest[]): SeenRequest[][] {
  const found: SeenRequest[][] = []
  let open: SeenRequest[] = []
  for (const order of orders.toSorted(byArrival)) {
    const isLost = isUnanswered(order)
    if (open.length > 0 || isLost) open.push(order)
    if (isLost) continue
    found.push(open)
    open = []
  }
  return [...found, open].filter(({ length }) => length > 1)
}

/** The record of an abandoned request may come after that of its retry. */
function byArrival({ record: one }: SeenRequest, { record: other }: SeenRequest): number {
  return (one.version ?? 0) - (other.version ?? 0)
}

function foundOf(orders: readonly SeenRequest[], requests: readonly SeenRequest[]): Found {
  const [first] = orders as [SeenRequest]
  const { method, path } = first.entry()
  const times = orders.length === 2 ? 'twice' : `${orders.length} times`
  const message = `${method} ${path} was sent again after its response was lost, and the order was paid ${times}.`
  return { message, examples: orders, mayBeIntended: isEachKnown(orders, requests) }
}

/** Whether the client knew each of the orders when it sent the next one. */
function isEachKnown(orders: readonly SeenRequest[], requests: readonly SeenRequest[]): boolean {
  return orders.slice(1).every(({ record }, index) => {
    const earlier = requests.filter((one) => versionOf(one) <= (record.version ?? 0))
    return knowsFrom(earlier)(orders[index] as SeenRequest)
  })
}

import {
  getArrival,
  historyKey,
  isSentAfterEnd,
  type FindingRule,
  type Mistake,
  type ObservedRequest,
} from '../../findings/FindingRule.ts'
import { groupBy } from '../../lib/groups.ts'
import { isLostOrder, isOrder, isUnanswered, knowsFrom, mayShowOrders } from './orders.ts'

export const orderedTwice: FindingRule<'ordered-twice'> = {
  name: 'ordered-twice',
  severity: 'high',
  description: 'It sends an order again after the response was lost, so it orders twice.',
  advice:
    'The API has no idempotency key: when the response to an order is lost, look for it in GET /api/services or GET /api/billing/invoices before ordering again. If your code does not retry, your HTTP library did (curl, Guzzle and others): see docs/retries.md.',
  addsRecords: true,
  explains: 'order-lost',
  // Orders whose response was received count, too, because a response may be marked as lost after its request was recorded.
  appliesTo: (request) => isOrder(request) || mayShowOrders(request),
  key: historyKey,
  unresolved: (requests) => requests.filter(isLostOrder),
  find: (requests) =>
    groupBy(requests.filter(isOrder), ({ path, body }) => [Object.values(path), String(body['clientid'])])
      .flatMap((orders) => findRepeats(orders, requests))
      .filter(({ orders }) => orders.length > 1)
      .map(toMistake),
}

/** Equal orders, each sent after the response to the previous one was lost. */
interface Chain {
  orders: [ObservedRequest, ...ObservedRequest[]]
  mayBeIntended?: boolean
}

function findRepeats(orders: readonly ObservedRequest[], requests: readonly ObservedRequest[]): Chain[] {
  const open: Chain[] = []
  const closed: Chain[] = []
  // The record of an abandoned request may come after that of its retry.
  for (const order of orders.toSorted((one, other) => getArrival(one) - getArrival(other))) {
    const chain = open.find((one) => isSentAfterLoss(order, one.orders.at(-1)))
    const lost = chain?.orders.at(-1)
    if (!chain || !lost) open.push({ orders: [order] })
    else if (!wasKnown(lost, order, requests)) chain.orders.push(order)
    else {
      closed.push(chain, { orders: [lost, order], mayBeIntended: true })
      open.splice(open.indexOf(chain), 1, { orders: [order] })
    }
  }
  return [...open, ...closed, ...open.flatMap((chain) => findPossibleRepeat(chain, orders))]
}

/** A lost order and the last one after it, which may have been sent at the same time. `sweep` decides by the number of orders. */
function findPossibleRepeat({ orders }: Chain, all: readonly ObservedRequest[]): Chain[] {
  const [lost, ...repeats] = orders
  if (repeats.length > 0 || !isUnanswered(lost)) return []
  const last = all.findLast((one) => getArrival(one) > getArrival(lost))
  return last ? [{ orders: [lost, last], mayBeIntended: true }] : []
}

/** Whether an order was sent after the response to an earlier one was lost. A client that gives up knows it at once. */
function isSentAfterLoss(order: ObservedRequest, lost: ObservedRequest | undefined): boolean {
  if (!lost || !isUnanswered(lost)) return false
  return lost.record.isAbandoned ? getArrival(order) >= lost.record.at : isSentAfterEnd(order, lost)
}

/** Whether a response had shown the client a lost order when it sent another one. */
function wasKnown(
  lost: ObservedRequest,
  next: ObservedRequest,
  requests: readonly ObservedRequest[],
): boolean {
  const earlier = requests.filter((one) => mayShowOrders(one) && one.record.at <= getArrival(next))
  return knowsFrom(earlier)(lost)
}

function toMistake({ orders, mayBeIntended }: Chain): Mistake {
  const { method, path } = orders[0].entry()
  const times = orders.length === 2 ? 'twice' : `${orders.length} times`
  const message = `${method} ${path} was sent again after its response was lost, so it was ordered ${times}.`
  return { message, examples: orders, mayBeIntended }
}

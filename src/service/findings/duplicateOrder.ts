import {
  groupBy,
  historyKey,
  type FindingRule,
  type Mistake,
  type ObservedRequest,
} from '../../findings/FindingRule.ts'
import { concernsOrders, isLostOrder, isOrder, isUnanswered, knowsFrom, getVersion } from './orders.ts'

export const duplicateOrder: FindingRule<'duplicate-order'> = {
  name: 'duplicate-order',
  severity: 'high',
  description: 'It sends an order again after the response was lost, so the order is paid twice.',
  advice:
    'The API has no idempotency key: when the response to an order is lost, look for it in GET /api/services or GET /api/billing/invoices before ordering again.',
  addsRecords: true,
  appliesTo: concernsOrders,
  key: historyKey,
  unresolved: (requests) => requests.filter(isLostOrder),
  find: (requests) =>
    groupBy(requests.filter(isOrder), ({ path, body }) => [Object.values(path), String(body['clientid'])])
      .flatMap(findRepeats)
      .map((orders) => toMistake(orders, requests)),
}

/** Chains of equal orders, each sent after the response to the previous one was lost. A received response ends a chain. */
function findRepeats(orders: readonly ObservedRequest[]): ObservedRequest[][] {
  const chains: [ObservedRequest, ...ObservedRequest[]][] = []
  // The record of an abandoned request may come after that of its retry.
  for (const order of orders.toSorted((one, other) => getArrival(one) - getArrival(other))) {
    const chain = chains.find((earlier) => isSentAfterLoss(order, earlier.at(-1) as ObservedRequest))
    if (chain) chain.push(order)
    else chains.push([order])
  }
  return chains.filter(({ length }) => length > 1)
}

function getArrival({ record: { at, durationMs } }: ObservedRequest): number {
  return at - durationMs
}

/** Whether an order was sent after the response to an earlier one was lost. Orders sent at the same time don't repeat each other. */
function isSentAfterLoss(order: ObservedRequest, lost: ObservedRequest): boolean {
  return isUnanswered(lost) && getArrival(order) >= lost.record.at
}

function toMistake(orders: readonly ObservedRequest[], requests: readonly ObservedRequest[]): Mistake {
  const [first] = orders as [ObservedRequest]
  const { method, path } = first.entry()
  const times = orders.length === 2 ? 'twice' : `${orders.length} times`
  const message = `${method} ${path} was sent again after its response was lost, and the order was paid ${times}.`
  return { message, examples: orders, mayBeIntended: isEachKnown(orders, requests) }
}

/** Whether the client knew each of the orders when it sent the next one. */
function isEachKnown(orders: readonly ObservedRequest[], requests: readonly ObservedRequest[]): boolean {
  return orders.slice(1).every(({ record }, index) => {
    const earlier = requests.filter((one) => getVersion(one) <= (record.version ?? 0))
    return knowsFrom(earlier)(orders[index] as ObservedRequest)
  })
}

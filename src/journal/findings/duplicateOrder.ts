import type { JournalRecord } from '../Journal.ts'
import { groups, type Evidence, type Rule } from './Evidence.ts'

/** The same order again after its answer was lost: it is paid twice. */
export const duplicateOrder: Rule = (records) =>
  groups(
    records.filter(({ entry }) => entry.change !== null),
    ({ clues }) => clues.order,
  ).flatMap(retries)

/** Within the same order: from an answer that was lost to the one that arrived. */
function retries(orders: readonly JournalRecord[]): Evidence[] {
  const found: Evidence[] = []
  let open: JournalRecord[] = []
  for (const order of orders) {
    if (open.length > 0 || order.clues.lost) open.push(order)
    if (order.clues.lost) continue
    found.push(...evidence(open))
    open = []
  }
  return [...found, ...evidence(open)]
}

function evidence(shown: JournalRecord[]): Evidence[] {
  const [first] = shown
  if (!first || shown.length < 2) return []
  const times = shown.length === 2 ? 'twice' : `${shown.length} times`
  return [
    {
      message: `${first.entry.method} ${first.entry.path} was sent again after its answer was lost, and the order was paid ${times}. The API has no idempotency key: when the answer to an order is lost, look for it in GET /api/services or GET /api/billing/invoices before ordering anew.`,
      shown,
    },
  ]
}

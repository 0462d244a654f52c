import { entryOf } from '../journal/redaction/redactRecord.ts'
import { isObject } from '../world/mergePatch.ts'
import { groups, worldOf, type FindingRule, type Found, type Noted } from './FindingRule.ts'

/** Equal for equal orders */
type Note = readonly unknown[]

export const duplicateOrder: FindingRule<Note, 'duplicate-order'> = {
  name: 'duplicate-order',
  severity: 'high',
  words: 'It sends an order again after the response was lost, so the order is paid twice.',
  advice:
    'The API has no idempotency key: when the response to an order is lost, look for it in GET /api/services or GET /api/billing/invoices before ordering again.',
  isAnOrderTooMany: true,
  note({ operation, change, path, body }) {
    if (!operation.costsMoney || change === undefined) return undefined
    const { clientid, setip } = isObject(body) ? body : {}
    return [Object.values(path), clientid, setip]
  },
  find: (orders) => groups(orders, (one) => [worldOf(one), one.note]).flatMap(retries),
}

/** Within equal orders, a retry spans from a lost response to the next one that arrived. */
function retries(orders: readonly Noted<Note>[]): Found[] {
  const found: Found[] = []
  let open: Noted<Note>[] = []
  for (const order of orders.toSorted(byArrival)) {
    if (open.length > 0 || order.record.lost) open.push(order)
    if (order.record.lost) continue
    found.push(...tell(open))
    open = []
  }
  return [...found, ...tell(open)]
}

/** The record of a request that the client gave up waiting for may come after that of its retry. */
function byArrival({ record: one }: Noted<Note>, { record: other }: Noted<Note>): number {
  return (one.version ?? 0) - (other.version ?? 0)
}

function tell(orders: Noted<Note>[]): Found[] {
  const [first] = orders
  if (!first || orders.length < 2) return []
  const { method, path } = entryOf(first.record)
  const times = orders.length === 2 ? 'twice' : `${orders.length} times`
  const message = `${method} ${path} was sent again after its response was lost, and the order was paid ${times}.`
  return [{ message, examples: orders }]
}

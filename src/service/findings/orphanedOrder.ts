import { worldOf, type FindingRule, type SeenRequest } from '../../findings/FindingRule.ts'
import { isOfInvoices, isOrder, isUnanswered, recordsOf, recordsShown } from './orders.ts'

export const orphanedOrder: FindingRule<'orphaned-order'> = {
  name: 'orphaned-order',
  severity: 'high',
  description:
    'It never learns of an order that was carried out: the order is paid for without the client knowing.',
  advice:
    'When the response to an order is lost, look for it in GET /api/services or GET /api/billing/invoices, and record what is found.',
  leavesOrphans: true,
  // A response may turn out to be lost only after the request was recorded.
  concerns: (request) => isOrder(request) || mayShowOrders(request),
  key: worldOf,
  unresolved: unknownOrders,
  find: (requests) =>
    unknownOrders(requests).map((order) => {
      const { method, path } = order.entry()
      const records = recordsOf(order).join(', ')
      const message = `${method} ${path} was carried out, but its response never arrived whole, and no later response showed ${records}.`
      return { message, examples: [order] }
    }),
}

/** The orders whose response was lost and that no response has shown. */
function unknownOrders(requests: readonly SeenRequest[]): SeenRequest[] {
  const lost = requests.filter((request) => isOrder(request) && isUnanswered(request))
  if (lost.length === 0) return []
  const responses = requests.filter(mayShowOrders)
  const shown = new Set(responses.flatMap(recordsShown))
  return lost
    .filter((order) => !recordsOf(order).some((record) => shown.has(record)))
    .filter(
      (order) => !responses.some((response) => isAfter(response, order) && mayNameOrder(response, order)),
    )
}

const lists: readonly (string | null)[] = ['listServices', 'listInvoices']

/** Whether the client got a response that could show it an order. */
function mayShowOrders({ path, record }: SeenRequest): boolean {
  const { lost, status, method, operation } = record
  const isSuccess = !lost && status !== null && status < 300 && method !== 'HEAD'
  return isSuccess && (path['id'] !== undefined || lists.includes(operation))
}

/** Whether a request met the account after the order had changed it. */
function isAfter(response: SeenRequest, order: SeenRequest): boolean {
  return versionOf(response) > versionOf(order)
}

/** The version of the account in which the operation was executed. */
function versionOf({ record: { executedIn, version } }: SeenRequest): number {
  return executedIn?.version ?? version ?? 0
}

/**
 * Whether a response that followed an order doesn't show it, and yet the client may know it: its request names the
 * service, which before the order would have been a guess; or it is a list that was too long to record. A list with a
 * reason is of earlier records.
 */
function mayNameOrder({ operation, path, record }: SeenRequest, order: SeenRequest): boolean {
  if (lists.includes(record.operation))
    return record.omitted?.response !== undefined && record.reason === null
  const namesService = !isOfInvoices(operation) && !record.forced
  return namesService && recordsOf(order).includes(`service ${path['id']}`)
}

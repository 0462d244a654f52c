import { worldOf, type FindingRule, type SeenRequest } from '../../findings/FindingRule.ts'
import { isOfInvoices, isOrder, isUnanswered, recordsOf, recordsShown } from './orders.ts'

export const orphanedOrder: FindingRule<'orphaned-order'> = {
  name: 'orphaned-order',
  severity: 'high',
  description: 'It never learns of an order that was carried out and paid for.',
  advice:
    'When the response to an order is lost, look for the order in GET /api/services or GET /api/billing/invoices, and record what you find.',
  leavesOrphans: true,
  // Includes all orders, because a response may be marked as lost after its request was recorded.
  concerns: (request) => isOrder(request) || mayShowOrders(request),
  key: worldOf,
  unresolved: unknownOrders,
  find: (requests) =>
    unknownOrders(requests).map((order) => {
      const { method, path } = order.entry()
      const records = recordsOf(order).join(', ')
      const loss = order.record.lost
        ? 'never fully reached the client'
        : "was an override's that didn't show it"
      const message = `${method} ${path} was carried out, but its response ${loss}, and no later response showed ${records}.`
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

/** Whether a request was executed after the order had changed the account. */
function isAfter(request: SeenRequest, order: SeenRequest): boolean {
  return versionOf(request) > versionOf(order)
}

/** The version of the account in which the operation was executed. */
function versionOf({ record: { executedIn, version } }: SeenRequest): number {
  return executedIn?.version ?? version ?? 0
}

/**
 * Whether the client may know an order from a later exchange whose recorded response doesn't show it: because the request
 * names the service, whose id it could only have guessed otherwise; or because the response is a list that was too long to record. A
 * list with a reason doesn't count: it shows earlier records.
 */
function mayNameOrder({ operation, path, record }: SeenRequest, order: SeenRequest): boolean {
  if (lists.includes(record.operation))
    return record.omitted?.response !== undefined && record.reason === null
  const namesService = !isOfInvoices(operation) && !record.forced
  return namesService && recordsOf(order).includes(`service ${path['id']}`)
}

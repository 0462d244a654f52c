import { jsonOf } from '../../lib/json.ts'
import { worldOf, type FindingRule, type SeenRequest } from '../../findings/FindingRule.ts'

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
  const lost = requests.filter((request) => isOrder(request) && request.record.lost)
  if (lost.length === 0) return []
  const responses = requests.filter(mayShowOrders)
  const shown = new Set(responses.flatMap(recordsShown))
  return lost
    .filter((order) => !recordsOf(order).some((record) => shown.has(record)))
    .filter(
      (order) => !responses.some((response) => isAfter(response, order) && mayNameOrder(response, order)),
    )
}

/** Whether an order was executed. */
function isOrder({ operation, record }: SeenRequest): boolean {
  return operation.costsMoney && record.change !== undefined
}

const lists: readonly (string | null)[] = ['listServices', 'listInvoices']

/** Whether the client got a response that could show it an order. */
function mayShowOrders({ path, record }: SeenRequest): boolean {
  const { lost, status, method, operation } = record
  const isSuccess = !lost && status !== null && status < 300 && method !== 'HEAD'
  return isSuccess && (path['id'] !== undefined || lists.includes(operation))
}

/** Whether a request met the account after the order had changed it. */
function isAfter({ record }: SeenRequest, order: SeenRequest): boolean {
  return (record.version ?? 0) > (order.record.version ?? 0)
}

/**
 * Whether a response that followed an order doesn't show it, and yet the client may know it: its request names the
 * service, which before the order would have been a guess; or it is a list that was too long to record.
 */
function mayNameOrder({ operation, path, record }: SeenRequest, order: SeenRequest): boolean {
  if (lists.includes(record.operation)) return record.omitted?.response !== undefined
  const namesService = !isOfInvoices(operation) && !record.forced
  return namesService && recordsOf(order).includes(`service ${path['id']}`)
}

/** The records that an order created: `service 5001`, `order 7001`, `invoice 9001`. */
function recordsOf({ record: { change } }: SeenRequest): string[] {
  const services = Object.entries(change?.services ?? {})
  return [
    ...services.map(([id]) => `service ${id}`),
    ...services.map(([, service]) => `order ${service?.orderid}`),
    ...Object.keys(change?.invoices ?? {}).map((id) => `invoice ${id}`),
  ]
}

/** The records that a response shows, in the same form. */
function recordsShown({ operation, record }: SeenRequest): string[] {
  const nouns: Record<string, string> = { service_id: 'service', serviceid: 'service', orderid: 'order' }
  if (isOfInvoices(operation)) nouns['id'] = 'invoice'
  const found: string[] = []
  JSON.stringify(jsonOf(record.responseBody), (name, value: unknown) => {
    if (nouns[name] !== undefined) found.push(`${nouns[name]} ${String(value)}`)
    return value
  })
  return found
}

function isOfInvoices({ path }: SeenRequest['operation']): boolean {
  return path.includes('/invoice')
}

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
  const shown = new Set(responses.flatMap(recordsIn))
  return lost
    .filter((order) => !recordsOf(order).some((record) => shown.has(record)))
    .filter((order) => !responses.some((response) => isUnknownAfter(response, order)))
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

/** Whether the client received a list after the order that was too long to record, and may have shown the order. */
function isUnknownAfter({ record }: SeenRequest, order: SeenRequest): boolean {
  const isLater = (record.version ?? 0) > (order.record.version ?? 0)
  return isLater && record.omitted?.response !== undefined && lists.includes(record.operation)
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

/** The records that a response shows or its request names, in the same form. */
function recordsIn({ operation, path, record }: SeenRequest): string[] {
  const isInvoice = operation.path.includes('/invoice')
  const nouns: Record<string, string> = { service_id: 'service', serviceid: 'service', orderid: 'order' }
  if (isInvoice) nouns['id'] = 'invoice'
  const found: string[] = isInvoice || record.forced ? [] : [`service ${path['id']}`]
  JSON.stringify(jsonOf(record.responseBody), (name, value: unknown) => {
    if (nouns[name] !== undefined) found.push(`${nouns[name]} ${String(value)}`)
    return value
  })
  return found
}

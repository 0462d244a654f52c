import type { SeenRequest } from '../../findings/FindingRule.ts'
import { jsonOf } from '../../lib/json.ts'
import { isObject } from '../../world/mergePatch.ts'

/* Shared by the findings about orders. */

/** Whether an order was executed. */
export function isOrder({ operation, record }: SeenRequest): boolean {
  return operation.costsMoney && record.change !== undefined
}

/** Whether the client got no complete response to an order, or an override's response that doesn't show what was ordered. */
export function isUnanswered(order: SeenRequest): boolean {
  const { lost, overridden } = order.record
  if (lost || !overridden) return lost
  const shownRecords = recordsShown(order)
  return !recordsOf(order).some((record) => shownRecords.includes(record))
}

/** The records that an order created: `service 5001`, `order 7001`, `invoice 9001`. */
export function recordsOf({ record: { change } }: SeenRequest): string[] {
  const services = Object.entries(change?.services ?? {})
  return [
    ...services.map(([id]) => `service ${id}`),
    ...services.map(([, service]) => `order ${service?.orderid}`),
    ...Object.keys(change?.invoices ?? {}).map((id) => `invoice ${id}`),
  ]
}

/** The records that a response shows, in the form of `recordsOf`. An override may return the ids under any field names. */
export function recordsShown({ operation, record }: SeenRequest): string[] {
  const nouns: Record<string, string> = { service_id: 'service', serviceid: 'service', orderid: 'order' }
  if (isOfInvoices(operation)) nouns['id'] = 'invoice'
  const found: string[] = []
  JSON.stringify(jsonOf(record.responseBody), (name, value: unknown) => {
    const noun = nouns[name]
    const possible = record.overridden ? ['service', 'order', 'invoice'] : noun === undefined ? [] : [noun]
    if (!isObject(value)) found.push(...possible.map((one) => `${one} ${String(value)}`))
    return value
  })
  return found
}

export function isOfInvoices({ path }: SeenRequest['operation']): boolean {
  return path.includes('/invoice')
}

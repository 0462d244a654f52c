import type { ObservedRequest } from '../../findings/FindingRule.ts'
import { parseJson } from '../../lib/json.ts'
import { isObject } from '../../world/mergePatch.ts'

/* Shared by the findings about orders. */

/** Whether an order was executed. */
export function isOrder({ operation, record }: ObservedRequest): boolean {
  return operation.costsMoney && record.change !== undefined
}

/** Whether the client got no complete response to an order, or an override's response that doesn't show what was ordered. */
export function isUnanswered(order: ObservedRequest): boolean {
  const { isUndelivered, overridden } = order.record
  if (isUndelivered || !overridden) return isUndelivered
  const shownRecords = getShownRecords(order)
  return !getCreatedRecords(order).some((record) => shownRecords.includes(record))
}

/** Whether an order was executed whose response the client didn't get. */
export function isLostOrder(request: ObservedRequest): boolean {
  return isOrder(request) && isUnanswered(request)
}

/** The records that an order created: `service 5001`, `order 7001`, `invoice 9001`. */
export function getCreatedRecords({ record: { change } }: ObservedRequest): string[] {
  const services = Object.entries(change?.services ?? {})
  return [
    ...services.map(([id]) => `service ${id}`),
    ...services.map(([, service]) => `order ${service?.orderid}`),
    ...Object.keys(change?.invoices ?? {}).map((id) => `invoice ${id}`),
  ]
}

/** Returns a function that checks whether the client can know an order from the responses to these requests. */
export function knowsFrom(requests: readonly ObservedRequest[]): (order: ObservedRequest) => boolean {
  const responses = requests.filter(mayShowOrders)
  const shown = new Set(responses.flatMap(getShownRecords))
  return (order) =>
    getCreatedRecords(order).some((record) => shown.has(record)) ||
    responses.some((response) => getVersion(response) > getVersion(order) && mayNameOrder(response, order))
}

/** The operations by which a client looks for its orders */
export const orderLookups: readonly string[] = ['listServices', 'getService', 'listInvoices', 'getInvoice']

/** Operations whose `id` is that of an invoice */
const invoiceOperations: readonly (string | null)[] = ['listInvoices', 'getInvoice']

const lists: readonly (string | null)[] = ['listServices', 'listInvoices']

/** Whether the client got a response that could show it an order. */
export function mayShowOrders({ path, record }: ObservedRequest): boolean {
  const { isUndelivered, status, method, operation } = record
  const isSuccess = !isUndelivered && status !== null && status < 300 && method !== 'HEAD'
  return isSuccess && (path['id'] !== undefined || lists.includes(operation))
}

/** The version of the account at which the operation was executed. */
export function getVersion({ record: { version } }: ObservedRequest): number {
  return version ?? 0
}

/**
 * Whether the client may know an order from a later exchange although the recorded response doesn't show it. Either the
 * request names the service, whose id is hard to guess, or the response is a list that was too long to record. A list with
 * a reason doesn't count, because it shows earlier records.
 */
function mayNameOrder({ path, record }: ObservedRequest, order: ObservedRequest): boolean {
  if (lists.includes(record.operation))
    return record.omitted?.response !== undefined && record.reason === null
  const namesService = !invoiceOperations.includes(record.operation) && !record.forced
  return namesService && getCreatedRecords(order).includes(`service ${path['id']}`)
}

/** The records that a response shows, in the form of `getCreatedRecords`. An override may return the ids under any field names. */
function getShownRecords({ record }: ObservedRequest): string[] {
  const nouns: Record<string, string> = { service_id: 'service', serviceid: 'service', orderid: 'order' }
  if (invoiceOperations.includes(record.operation)) nouns['id'] = 'invoice'
  const records: string[] = []
  JSON.stringify(parseJson(record.responseBody), (name, value: unknown) => {
    const noun = nouns[name]
    const possible = record.overridden ? ['service', 'order', 'invoice'] : noun === undefined ? [] : [noun]
    if (!isObject(value)) records.push(...possible.map((one) => `${one} ${String(value)}`))
    return value
  })
  return records
}

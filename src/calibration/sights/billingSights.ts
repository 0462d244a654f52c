import { isObject } from '../../world/mergePatch.ts'
import { isNotFound, itemsOf, listOf, seen, typed } from './reading.ts'
import type { Extractor } from './Sight.ts'

export const invoices = listOf('invoices', 'id', ['date_refunded', 'date_paid'])

export const invoice: Extractor = (exchange, base) =>
  isNotFound(exchange) || itemsOf(exchange)?.items.length === 0
    ? [{ path: base, value: false }]
    : invoices(exchange, base)

export const credit: Extractor = ({ response: { status, value } }) =>
  status === 200 && isObject(value) ? seen('credit', typed(value['credit'], { type: 'number' })) : []

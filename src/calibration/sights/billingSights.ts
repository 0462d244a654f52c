import { isObject } from '../../world/mergePatch.ts'
import { isId, itemsOf, listOf, typed } from './reading.ts'
import type { Extractor } from './Sight.ts'

export const invoices = listOf('invoices', 'id', ['date_refunded', 'date_paid'])

export const invoice: Extractor = (exchange) => {
  const id = exchange.path['id']
  const { status } = exchange.response
  if (!isId(id)) return { sights: [] }
  if (status === 422 || status === 404 || itemsOf(exchange)?.items.length === 0)
    return { sights: [{ path: `invoices/${id}`, value: false }] }
  return { sights: invoices(exchange).sights }
}

export const credit: Extractor = ({ response }) => {
  const value = isObject(response.value) ? typed(response.value['credit'], { type: 'number' }) : undefined
  return { sights: response.status === 200 && value !== undefined ? [{ path: 'credit', value }] : [] }
}

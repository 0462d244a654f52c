import type { Schema } from '../../contract/Contract.ts'
import { isObject } from '../../world/mergePatch.ts'
import { fieldsOf, isId, itemsOf, typed, type Bag } from './reading.ts'
import type { Extractor, Sight } from './Sight.ts'

const invoiceSights = (items: readonly Bag[], schema: Schema): Sight[] =>
  items
    .filter(({ id }) => isId(id))
    .flatMap((item) =>
      fieldsOf(item, schema, `invoices/${String(item['id'])}`, {
        without: ['id'],
        optional: ['date_refunded', 'date_paid'],
      }),
    )

export const invoices: Extractor = (exchange) => {
  const list = itemsOf(exchange)
  return list ? { sights: invoiceSights(list.items, list.schema), whole: 'invoices' } : { sights: [] }
}

export const invoice: Extractor = (exchange) => {
  const id = exchange.path['id']
  if (!isId(id)) return { sights: [] }
  const list = itemsOf(exchange)
  if (exchange.response.status === 422 || exchange.response.status === 404 || list?.items.length === 0)
    return { sights: [{ path: `invoices/${id}`, value: false }] }
  return list ? { sights: invoiceSights(list.items, list.schema) } : { sights: [] }
}

export const credit: Extractor = ({ response }) => {
  const value = isObject(response.value) ? typed(response.value['credit'], { type: 'number' }) : undefined
  return { sights: response.status === 200 && value !== undefined ? [{ path: 'credit', value }] : [] }
}

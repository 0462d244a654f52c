import { asObject } from '../../contract/Contract.ts'
import { isObject } from '../../world/mergePatch.ts'
import { caseName, implied, isId, listOf, recordOf, seen, typed } from './reading.ts'
import type { Extractor, Sight } from './Sight.ts'

export const clients = listOf('clients', 'id')

export const products = listOf('products', 'productId')

export const product: Extractor = (exchange, base) => {
  const { status, value } = exchange.response
  if (status === 422) return [{ path: base, value: false }]
  const fields = recordOf(exchange, base, ['productId', 'geo'], ['ip_count', 'update_time'])
  const geo = status === 200 ? countries(asObject(value)['geo']) : undefined
  return [...fields, ...seen(`${base}/geo`, geo)]
}

/** Country codes, from codes or from objects that contain one. */
function countries(geo: unknown): string[] | undefined {
  if (!Array.isArray(geo)) return undefined
  const codes = geo.map((item) =>
    typeof item === 'string'
      ? item
      : isObject(item)
        ? Object.values(item).find((one) => /^[A-Z]{2}$/.test(String(one)))
        : undefined,
  )
  return codes.every((code): code is string => typeof code === 'string' && /^[A-Z]{2}$/.test(code))
    ? codes
    : undefined
}

export const order: Extractor = (exchange, base) => {
  const { request, response } = exchange
  const { clientid, setip } = asObject(request.value)
  const there = implied(base, true)
  const client = (exists: boolean): Sight[] =>
    isId(clientid) ? [implied(`clients/${String(clientid)}`, exists)] : []
  if (response.status === 200 && isObject(response.value))
    return [
      there,
      ...client(true),
      ...seen(`${base}/price`, typed(response.value['amount'], { type: 'number' }), { implied: true }),
      ...(setip === undefined ? [] : [implied(`${base}/product_type`, 'fpr')]),
    ]
  switch (caseName(exchange)) {
    case 'product-not-found':
      return [implied(base, false)]
    case 'client-not-found':
      return [there, ...client(false)]
    case 'insufficient-funds':
      return [there, ...client(true)]
    case undefined:
    default:
      return []
  }
}

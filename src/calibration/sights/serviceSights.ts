import { asObject } from '../../contract/Contract.ts'
import type { Exchange } from '../Exchange.ts'
import { isIpv4 } from '../../world/ipv4.ts'
import { isObject } from '../../world/mergePatch.ts'
import { caseName, impliedService, isNotFound, itemsOf, listOf, recordOf, seen, typed } from './reading.ts'
import type { Extractor } from './Sight.ts'

const hasClient = { client: true }
const hasNoClient = { client: false }

export const service: Extractor = (exchange, base) =>
  isNotFound(exchange) || isEmptyList(exchange)
    ? [{ path: base, value: false }]
    : recordOf(exchange, base, ['service_id'], ['bindedip', 'ip_count'])

function isEmptyList({ response: { value } }: Exchange): boolean {
  return Array.isArray(value) && value.length === 0
}

export const services = listOf('services', 'service_id')

export const stats: Extractor = (exchange, base) => {
  const list = itemsOf(exchange)
  if (!list) return []
  const days = list.items.flatMap(({ date, rate }) => {
    const count = typed(rate, { type: 'number' })
    return typeof date === 'string' && count !== undefined ? [[date, count]] : []
  })
  return [
    ...impliedService(base, { product_type: 'ppr' }),
    ...seen(`${base}/usage/stats`, Object.fromEntries(days)),
  ]
}

export const rate: Extractor = (exchange, base) => {
  const list = itemsOf(exchange)
  if (!list) return []
  const there = impliedService(base, { product_type: 'ppr' })
  const [first] = list.items
  if (!first) return [...there, ...seen(`${base}/usage/rate`, 'none')]
  return [
    ...there,
    ...seen(`${base}/usage/limit`, typed(first['limit'], { type: 'number' })),
    ...seen(`${base}/usage/rate`, typed(first['rate'], { type: 'number' })),
  ]
}

export const network =
  (field: 'errors' | 'inactive'): Extractor =>
  ({ response: { status, value } }, base) => {
    if (status === 400 && isObject(value)) return impliedService(base, hasNoClient)
    if (status !== 200 || !Array.isArray(value)) return []
    const addresses = value.filter((ip) => typeof ip === 'string' && isIpv4(ip))
    return [...impliedService(base, hasClient), ...seen(`${base}/${field}`, addresses)]
  }

export const update: Extractor = (exchange, base) => {
  const { request, response } = exchange
  const like = {
    status: 'Active',
    ...hasClient,
    ...(asObject(request.value)['setip'] !== undefined && { product_type: 'fpr' }),
  }
  if (response.status === 200 || response.status === 429) return impliedService(base, like)
  switch (caseName(exchange)) {
    case 'client-not-found':
      return impliedService(base, hasNoClient)
    case 'ip-already-bound':
    case 'invalid-ipv4':
      return impliedService(base, like)
    case undefined:
    default:
      return []
  }
}

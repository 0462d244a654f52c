import { isIpv4 } from '../../world/ipv4.ts'
import { isObject } from '../../world/mergePatch.ts'
import { caseName, fieldsOf, impliedService, isId, itemsOf, listOf, schemaOf, typed } from './reading.ts'
import type { Extractor } from './Sight.ts'

const hasClient = { client: true }
const hasNoClient = { client: false }

export const service: Extractor = (exchange) => {
  const { path, response } = exchange
  const id = path['id'] ?? ''
  if (!isId(id)) return { sights: [] }
  const isEmpty = Array.isArray(response.value) && response.value.length === 0
  if (response.status === 422 || response.status === 404 || isEmpty)
    return { sights: [{ path: `services/${id}`, value: false }] }
  if (response.status !== 200 || !isObject(response.value)) return { sights: [] }
  return {
    sights: fieldsOf(response.value, schemaOf(exchange), `services/${id}`, {
      without: ['service_id'],
      optional: ['bindedip', 'ip_count'],
    }),
  }
}

export const services = listOf('services', 'service_id')

export const stats: Extractor = (exchange) => {
  const id = exchange.path['id'] ?? ''
  const list = itemsOf(exchange)
  if (!list || !isId(id)) return { sights: [] }
  const days = list.items.flatMap(({ date, rate }) => {
    const count = typed(rate, { type: 'number' })
    return typeof date === 'string' && count !== undefined ? [[date, count]] : []
  })
  return {
    sights: [
      ...impliedService(id, { product_type: 'ppr' }),
      { path: `services/${id}/usage/stats`, value: Object.fromEntries(days) as unknown },
    ],
  }
}

export const rate: Extractor = (exchange) => {
  const id = exchange.path['id'] ?? ''
  const list = itemsOf(exchange)
  if (!list || !isId(id)) return { sights: [] }
  const [first] = list.items
  const there = impliedService(id, { product_type: 'ppr' })
  if (!first) return { sights: [...there, { path: `services/${id}/usage/rate`, value: 'none' }] }
  const [limit, used] = [typed(first['limit'], { type: 'number' }), typed(first['rate'], { type: 'number' })]
  return {
    sights: [
      ...there,
      ...(limit === undefined ? [] : [{ path: `services/${id}/usage/limit`, value: limit }]),
      ...(used === undefined ? [] : [{ path: `services/${id}/usage/rate`, value: used }]),
    ],
  }
}

export const network =
  (field: 'errors' | 'inactive'): Extractor =>
  ({ path, response }) => {
    const id = path['id'] ?? ''
    if (response.status === 400 && isObject(response.value))
      return { sights: impliedService(id, hasNoClient) }
    if (response.status !== 200 || !Array.isArray(response.value) || !isId(id)) return { sights: [] }
    const addresses = response.value.filter((ip) => typeof ip === 'string' && isIpv4(ip))
    return {
      sights: [...impliedService(id, hasClient), { path: `services/${id}/${field}`, value: addresses }],
    }
  }

export const update: Extractor = (exchange) => {
  const { path, request, response } = exchange
  const { id = '' } = path
  const asked = isObject(request.value) ? request.value : {}
  const like = {
    status: 'Active',
    ...hasClient,
    ...(asked['setip'] !== undefined && { product_type: 'fpr' }),
  }
  if (response.status === 200 || response.status === 429) return { sights: impliedService(id, like) }
  switch (caseName(exchange)) {
    case 'client-not-found':
      return { sights: impliedService(id, hasNoClient) }
    case 'ip-already-bound':
    case 'invalid-ipv4':
      return { sights: impliedService(id, like) }
    case undefined:
    default:
      return { sights: [] }
  }
}

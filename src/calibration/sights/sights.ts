import { asObject, type ContractOperation } from '../../contract/Contract.ts'
import { isMalformed, type Exchange } from '../Exchange.ts'
import { credit, invoice, invoices } from './billingSights.ts'
import { clients, order, product, products } from './catalogueSights.ts'
import { ipList } from './ipListSights.ts'
import { isId } from './reading.ts'
import { network, rate, service, services, stats, update } from './serviceSights.ts'
import type { Extractor, Sight } from './Sight.ts'
import { isDone, rotated, sessionPath, sessions, ttlOrReset } from './stickySights.ts'

/**
 * Fields of the world that change by themselves (traffic, time) rather than through the API. A new value is a new
 * sight.
 */
export function changesByItself(path: string): boolean {
  return /^services\/\d+\/(?:usage\/.+|errors|inactive)$/.test(path)
}

/** What an exchange's response shows about the world, before or after it. */
export function sightsOf(exchange: Exchange): Sight[] {
  const { operation, request, response } = exchange
  if (response.status === 401 || isMalformed(request.credentials)) return []
  const base = recordIn(exchange)
  return base === undefined ? [] : (extractors[operation.operationId]?.(exchange, base) ?? [])
}

/** The record that a request names, such as `services/5001`: empty if it names none, undefined if the id is invalid. */
export function recordIn({ operation, path }: Exchange): string | undefined {
  const { id, pid } = path
  if (id === undefined && pid === undefined) return ''
  if (!isId(id ?? pid)) return undefined
  if (pid !== undefined) return `products/${pid}`
  return `${operation.operationId === 'getInvoice' ? 'invoices' : 'services'}/${id}`
}

/** The collection that an exchange lists in full: what isn't in the list doesn't exist. */
export function listedIn({ operation, request, response }: Exchange): Listed | undefined {
  const isList = response.status === 200 && Array.isArray(response.value)
  return isList && !isMalformed(request.credentials) ? lists[operation.operationId] : undefined
}

/** The paths that an exchange sets if the service carried it out, each including everything below it. */
export function setBy({ operation: { operationId }, path, request, response }: Exchange): string[] {
  if (response.status !== 200) return []
  const id = path['id'] ?? ''
  const asked = asObject(request.value)
  const given = asObject(response.value)
  switch (operationId) {
    case 'orderService':
      return ['credit', `services/${String(given['serviceId'])}`, `invoices/${String(given['invoiceId'])}`]
    case 'updateService':
      return [
        ...(asked['setip'] === undefined ? [] : [`services/${id}/bindedip`]),
        ...(asked['password'] === undefined ? [] : [`services/${id}/password`]),
        ...(asked['update_list'] === 'true' ? [`services/${id}/ips`, `services/${id}/list_updated_at`] : []),
      ]
    case 'rotateStickySession':
      return [sessionPath(path)]
    case 'changeStickyTtl':
      return isDone(response) ? [`services/${id}/sticky/ttl`] : [] // the sessions live on
    case 'resetStickySessions':
      return isDone(response) ? [`services/${id}/sticky/sessions`] : []
    default:
      return []
  }
}

/**
 * What a call may have set whose outcome is unknown. A collection stands for new records in it.
 * @param asked the body; undefined if it is unknown
 */
export function maySet(
  { operationId }: ContractOperation,
  path: Record<string, string>,
  asked: Record<string, unknown> | undefined,
): string[] {
  const { id } = path
  const below = (...fields: string[]): string[] =>
    isId(id) ? fields.map((field) => `services/${id}/${field}`) : []
  switch (operationId) {
    case 'orderService':
      return ['credit', 'services', 'invoices']
    case 'updateService':
      return [
        ...(asked && asked['setip'] === undefined ? [] : below('bindedip')),
        ...(asked && asked['password'] === undefined ? [] : below('password')),
        ...(asked && asked['update_list'] !== 'true' ? [] : below('ips', 'list_updated_at')),
      ]
    case 'rotateStickySession':
    case 'changeStickyTtl':
    case 'resetStickySessions':
      return below('sticky/ttl', 'sticky/sessions')
    default:
      return []
  }
}

const extractors: Record<string, Extractor> = {
  listClients: clients,
  listProducts: products,
  listProductsOrderedBy: products,
  getProduct: product,
  orderService: order,
  getService: service,
  listServices: services,
  listInvoices: invoices,
  getInvoice: invoice,
  getCredit: credit,
  getStats: stats,
  getRate: rate,
  getNetworkErrors: network('errors'),
  getNetworkInactive: network('inactive'),
  getIpList: ipList,
  listStickySessions: sessions,
  rotateStickySession: rotated,
  changeStickyTtl: ttlOrReset,
  resetStickySessions: ttlOrReset,
  updateService: update,
}

export type Listed = 'clients' | 'products' | 'services' | 'invoices'

const lists: Record<string, Listed> = {
  listClients: 'clients',
  listProducts: 'products',
  listProductsOrderedBy: 'products',
  listServices: 'services',
  listInvoices: 'invoices',
}

import { isObject } from '../../world/mergePatch.ts'
import type { Exchange } from '../Exchange.ts'
import { credit, invoice, invoices } from './billingSights.ts'
import { clients, order, product, products } from './catalogueSights.ts'
import { ipList } from './ipListSights.ts'
import { network, rate, service, services, stats, update } from './serviceSights.ts'
import type { Extractor, Sights } from './Sight.ts'
import { rotated, sessionPath, sessions, ttlOrReset } from './stickySights.ts'

/**
 * Fields of the world that change by themselves (traffic, time) rather than through the API. A new value is a new
 * sight.
 */
export function changesByItself(path: string): boolean {
  return /^services\/\d+\/(?:usage\/.+|errors|inactive)$/.test(path)
}

/** What an exchange's response shows about the world, before or after it. */
export function sightsOf(exchange: Exchange): Sights {
  const { status } = exchange.response
  if (status === 401 || exchange.request.credentials.kind === 'malformed') return { sights: [] }
  return extractors[exchange.operation.operationId]?.(exchange) ?? { sights: [] }
}

/** The paths that an exchange sets if the service carried it out, each including everything below it. */
export function setBy({ operation: { operationId }, path, request, response }: Exchange): string[] {
  if (response.status !== 200) return []
  const id = path['id'] ?? ''
  const asked = isObject(request.value) ? request.value : {}
  const given = isObject(response.value) ? response.value : {}
  // If 19 and 20 succeed, the documentation doesn't say what they return; if they don't, the response is empty.
  const isDone = response.body !== '' && !Array.isArray(response.value)
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
      return isDone ? [`services/${id}/sticky`] : []
    case 'resetStickySessions':
      return isDone ? [`services/${id}/sticky/sessions`] : []
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

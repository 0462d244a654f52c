import type { OperationId } from '../../contract/cases.gen.ts'

/** Operations whose response depends only on path and world, not on the time. Responses are cached until the world changes. */
export const cacheableOperations: ReadonlySet<string> = new Set<OperationId>([
  'listClients',
  'getStats',
  'getRate',
  'getProduct',
  'listProducts',
  'listProductsOrderedBy',
  'getNetworkErrors',
  'getNetworkInactive',
  'getCredit',
  'listInvoices',
  'getInvoice',
  'getService',
  'listServices',
  'getIpList',
])

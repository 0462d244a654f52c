import type { OperationId } from '../../contract/cases.gen.ts'

/** Operations whose response depends on path and world alone, not on the time: it is remembered until the world changes. */
export const timeless: ReadonlySet<string> = new Set<OperationId>([
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

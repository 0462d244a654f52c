import type { OperationId } from '../../src/contract/cases.gen.ts'

/** A call of each operation that succeeds in the scenario `small`, even if it is repeated. */
export const callByOperation: Record<OperationId, [method: string, path: string, body?: object]> = {
  listClients: ['GET', '/api/clients'],
  getStats: ['GET', '/api/stats/5002'],
  getRate: ['GET', '/api/rate/5002'],
  getProduct: ['GET', '/api/product/101'],
  orderService: ['POST', '/api/product/101', { clientid: 11 }],
  listProducts: ['GET', '/api/products'],
  listProductsOrderedBy: ['GET', '/api/products/orderby/price'],
  getNetworkErrors: ['GET', '/api/networkstatus/errors/5001'],
  getNetworkInactive: ['GET', '/api/networkstatus/inactive/5001'],
  getCredit: ['GET', '/api/billing/credit'],
  listInvoices: ['GET', '/api/billing/invoices'],
  getInvoice: ['GET', '/api/billing/invoice/9001'],
  getService: ['GET', '/api/service/5001'],
  listServices: ['GET', '/api/services'],
  updateService: ['PUT', '/api/service/5001', { password: 'c2VjcmV0' }],
  getIpList: ['GET', '/api/iplist/http-auth/csv/5001'],
  listStickySessions: ['GET', '/api/sticky/list/5002'],
  rotateStickySession: ['GET', '/api/sticky/rotate/5002/us1/abc'],
  changeStickyTtl: ['GET', '/api/sticky/changettl/5002/15'],
  resetStickySessions: ['GET', '/api/sticky/resetall/5002'],
}

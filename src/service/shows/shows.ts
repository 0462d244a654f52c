import type { OperationId } from '../../contract/cases.gen.ts'
import type { Shows } from './facts.ts'
import { changeStickyTtl } from './changeStickyTtl.ts'
import { getCredit } from './getCredit.ts'
import { getInvoice } from './getInvoice.ts'
import { getIpList } from './getIpList.ts'
import { getNetworkErrors } from './getNetworkErrors.ts'
import { getNetworkInactive } from './getNetworkInactive.ts'
import { getProduct } from './getProduct.ts'
import { getRate } from './getRate.ts'
import { getService } from './getService.ts'
import { getStats } from './getStats.ts'
import { listClients } from './listClients.ts'
import { listInvoices } from './listInvoices.ts'
import { listProducts } from './listProducts.ts'
import { listServices } from './listServices.ts'
import { listStickySessions } from './listStickySessions.ts'
import { orderService } from './orderService.ts'
import { resetStickySessions } from './resetStickySessions.ts'
import { rotateStickySession } from './rotateStickySession.ts'
import { updateService } from './updateService.ts'

/** The facts that responses show about the account's records, for `calibrate`. An operation that is missing shows nothing. */
export const shows: { readonly [Op in OperationId]?: Shows } = {
  changeStickyTtl,
  getCredit,
  getInvoice,
  getIpList,
  getNetworkErrors,
  getNetworkInactive,
  getProduct,
  getRate,
  getService,
  getStats,
  listClients,
  listInvoices,
  listProducts,
  listProductsOrderedBy: listProducts,
  listServices,
  listStickySessions,
  orderService,
  resetStickySessions,
  rotateStickySession,
  updateService,
}

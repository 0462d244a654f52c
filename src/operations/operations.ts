import { listClients } from './listClients.ts'
import { getStats } from './getStats.ts'
import { getRate } from './getRate.ts'
import { getProduct } from './getProduct.ts'
import { orderService } from './orderService.ts'
import { listProducts } from './listProducts.ts'
import { listProductsOrderedBy } from './listProductsOrderedBy.ts'
import { getNetworkErrors } from './getNetworkErrors.ts'
import { getNetworkInactive } from './getNetworkInactive.ts'
import { getCredit } from './getCredit.ts'
import { listInvoices } from './listInvoices.ts'
import { getInvoice } from './getInvoice.ts'
import { getService } from './getService.ts'
import { listServices } from './listServices.ts'
import { updateService } from './updateService.ts'
import { getIpList } from './getIpList.ts'
import { listStickySessions } from './listStickySessions.ts'
import { rotateStickySession } from './rotateStickySession.ts'
import { changeStickyTtl } from './changeStickyTtl.ts'
import { resetStickySessions } from './resetStickySessions.ts'
import type { OperationId } from '../contract/cases.gen.ts'
import type { Operation } from './Operation.ts'

/** Every operation of the contract; forgetting one is a compile error. */
export const operations: { [Op in OperationId]: Operation<Op> } = {
  listClients,
  getStats,
  getRate,
  getProduct,
  orderService,
  listProducts,
  listProductsOrderedBy,
  getNetworkErrors,
  getNetworkInactive,
  getCredit,
  listInvoices,
  getInvoice,
  getService,
  listServices,
  updateService,
  getIpList,
  listStickySessions,
  rotateStickySession,
  changeStickyTtl,
  resetStickySessions,
}

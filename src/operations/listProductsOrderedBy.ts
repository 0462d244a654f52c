import { orderProducts, visibleProducts } from '../world/catalogue.ts'
import type { Operation } from './Operation.ts'

export const listProductsOrderedBy: Operation<'listProductsOrderedBy'> = (asked, world) => {
  const { productSort, unknownSortField } = world.assumptions
  const products = visibleProducts(world)
  if (asked.invalidPath !== undefined && unknownSortField === 'ignore') return { body: products }
  return { body: orderProducts(products, asked.path().field, productSort) }
}

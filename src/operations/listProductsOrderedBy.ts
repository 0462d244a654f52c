import { orderProducts, visibleProducts } from '../world/catalogue.ts'
import type { Operation } from './Operation.ts'

export const listProductsOrderedBy: Operation<'listProductsOrderedBy'> = (input, world) => {
  const { productSort, unknownSortField } = world.assumptions
  const products = visibleProducts(world)
  if (input.invalidPath !== undefined && unknownSortField === 'ignore') return { body: products }
  return { body: orderProducts(products, input.path().field, productSort) }
}

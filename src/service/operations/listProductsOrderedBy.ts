import { compareValues } from '../../lib/compareValues.ts'
import { visibleProducts } from './listProducts.ts'
import type { Operation, Run } from './Operation.ts'

const run: Run<'listProductsOrderedBy'> = (input, world) => {
  const { productSort, unknownSortField } = world.assumptions
  const products = visibleProducts(world)
  if (input.pathViolation !== undefined && unknownSortField === 'ignore') return { body: products }
  const { field } = input.requirePath()
  const sign = productSort === 'asc' ? 1 : -1
  // Ties stay sorted by productId.
  return { body: products.toSorted((a, b) => sign * compareValues(a[field], b[field])) }
}

export const listProductsOrderedBy: Operation<'listProductsOrderedBy'> = {
  run,
  dependsOnTime: false,
}

import { visibleProducts, type ProductSummary } from './listProducts.ts'
import type { Operation } from './Operation.ts'

export const listProductsOrderedBy: Operation<'listProductsOrderedBy'> = (input, world) => {
  const { productSort, unknownSortField } = world.assumptions
  const products = visibleProducts(world)
  if (input.invalidPath !== undefined && unknownSortField === 'ignore') return { body: products }
  return { body: orderProducts(products, input.path().field, productSort) }
}

/** Sorts products by a field, and ties by productId. */
function orderProducts(
  products: readonly ProductSummary[],
  field: keyof ProductSummary,
  direction: 'asc' | 'desc',
): ProductSummary[] {
  const sign = direction === 'asc' ? 1 : -1
  return products.toSorted((a, b) => sign * compareValues(a[field], b[field]) || a.productId - b.productId)
}

/** By number, or by code points, so the order depends neither on the locale nor on the encoding. */
export function compareValues(a: number | string, b: number | string): number {
  if (typeof a !== 'string' || typeof b !== 'string') return a < b ? -1 : a > b ? 1 : 0
  if (a === b) return 0
  let i = 0
  while (a.charCodeAt(i) === b.charCodeAt(i)) i++
  // `<` compares code units, and those of surrogate pairs are below U+E000.
  return (a.codePointAt(i) ?? -1) - (b.codePointAt(i) ?? -1)
}

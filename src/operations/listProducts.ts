import type { Product, World } from '../world/World.ts'
import type { Operation } from './Operation.ts'

export const listProducts: Operation<'listProducts'> = (_input, world) => ({ body: visibleProducts(world) })

/** A product as it appears in lists. */
export interface ProductSummary
  extends Pick<Product, 'productName' | 'price' | 'groupId' | 'groupName' | 'created_at'> {
  productId: number
}

/**
 * The products that appear in lists, by productId. Assumption `hiddenProducts` decides whether that includes hidden
 * products and those of hidden groups.
 */
export function visibleProducts({ products, assumptions }: World): ProductSummary[] {
  return products
    .map((product, id) =>
      assumptions.hiddenProducts === 'unlisted' && (product.product_hidden || product.group_hidden)
        ? undefined
        : summary(id, product),
    )
    .filter((product) => product !== undefined)
}

function summary(
  productId: number,
  { productName, price, groupId, groupName, created_at }: Product,
): ProductSummary {
  return { productId, productName, price, groupId, groupName, created_at }
}

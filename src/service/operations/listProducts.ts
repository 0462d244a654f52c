import type { components } from '../../contract/openapi.gen.ts'
import type { World } from '../../world/World.ts'
import type { Operation, Run } from './Operation.ts'

const run: Run<'listProducts'> = (_input, world) => ({ body: visibleProducts(world) })

/**
 * The listed products, sorted by productId. Assumption `hiddenProducts` decides whether they include hidden products and
 * products of hidden groups.
 */
export function visibleProducts({ products, assumptions }: World): components['schemas']['ProductSummary'][] {
  const isListed = assumptions.hiddenProducts === 'listed'
  return [...products.entries()]
    .filter(([, product]) => isListed || !(product.product_hidden || product.group_hidden))
    .map(([productId, { productName, price, groupId, groupName, created_at }]) => ({
      productId,
      productName,
      price,
      groupId,
      groupName,
      created_at,
    }))
}

export const listProducts: Operation<'listProducts'> = {
  run,
  dependsOnTime: false,
}

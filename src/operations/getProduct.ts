import { findProduct } from '../world/ordering.ts'
import { countryName } from '../world/countryName.ts'
import type { Operation } from './Operation.ts'

export const getProduct: Operation<'getProduct'> = (input, world) => {
  const { pid } = input.path()
  const { price, groupId, groupName, created_at, product_hidden, group_hidden, product_type, ...static_ } =
    findProduct(world, pid)
  const common = {
    productId: Number(pid),
    price,
    groupId,
    groupName,
    created_at,
    product_hidden,
    group_hidden,
    product_type,
  }
  if (product_type === 'ppr') return { body: common }
  const { ip_count, update_time, geo } = static_
  return {
    body: {
      ...common,
      ...(ip_count !== undefined && { ip_count }),
      ...(update_time !== undefined && { update_time }),
      // The documentation shows no element of `geo`: assumption `geo`.
      ...(geo && {
        geo: world.assumptions.geo === 'code' ? geo : geo.map((code) => ({ code, name: countryName(code) })),
      }),
    },
  }
}

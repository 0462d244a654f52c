import { findProduct } from '../world/ordering.ts'
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

let names: Intl.DisplayNames | undefined

/** English name of a country (ISO 3166-1 alpha-2), or the code itself if it has none. */
function countryName(code: string): string {
  names ??= new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' }) // lazily, as loading it is slow
  return names.of(code) ?? code
}

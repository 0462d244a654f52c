import { withFieldsInOrder } from '../records.ts'
import { findProduct } from '../services.ts'
import type { Operation, Run } from './Operation.ts'

const run: Run<'getProduct'> = (input, world) => {
  const { pid } = input.requirePath()
  const { productName: _, geo, ...shown } = withFieldsInOrder('products', findProduct(world, pid))
  // The documentation shows no element of `geo`: assumption `geo`.
  const usesObjects = geo && world.assumptions.geo === 'object'
  const elements = usesObjects ? geo.map((code) => ({ code, name: countryName(code) })) : geo
  return { body: { productId: Number(pid), ...shown, ...(elements && { geo: elements }) } }
}

let names: Intl.DisplayNames | undefined

/** English name of a country (ISO 3166-1 alpha-2), or the code itself if it has none. */
function countryName(code: string): string {
  names ??= new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' }) // created lazily, because loading it is slow
  return names.of(code) ?? code
}

export const getProduct: Operation<'getProduct'> = {
  run,
  dependsOnTime: false,
}

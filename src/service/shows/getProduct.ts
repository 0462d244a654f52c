import { isObject } from '../../world/mergePatch.ts'
import { type Fields, recordFacts, type Shows } from './facts.ts'

export const getProduct: Shows = {
  reads: 'products',
  success({ id, body }) {
    const { productId: _, geo, ...product } = body as Fields
    return { shownFacts: recordFacts('products', id, { ...product, geo: readCountries(geo) }) }
  },
}

/** Reads country codes, from codes or from objects that contain one; undefined if that fails. */
function readCountries(geo: unknown): unknown {
  if (!Array.isArray(geo)) return undefined
  const isCode = (one: unknown): boolean => /^[A-Z]{2}$/.test(String(one))
  const codes = geo.map((item: unknown) => (isObject(item) ? Object.values(item).find(isCode) : item))
  return codes.every(isCode) ? codes : undefined
}

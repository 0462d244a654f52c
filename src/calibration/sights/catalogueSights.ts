import { isObject } from '../../world/mergePatch.ts'
import { caseName, fieldsOf, implied, isId, listOf, schemaOf, typed } from './reading.ts'
import type { Extractor } from './Sight.ts'

export const clients = listOf('clients', 'id')

export const products = listOf('products', 'productId')

export const product: Extractor = (exchange) => {
  const { path, response } = exchange
  const base = `products/${path['pid']}`
  if (!isId(path['pid'])) return { sights: [] }
  if (response.status === 422) return { sights: [{ path: base, value: false }] }
  if (response.status !== 200 || !isObject(response.value)) return { sights: [] }
  const geo = countries(response.value['geo'])
  return {
    sights: [
      ...fieldsOf(response.value, schemaOf(exchange), base, {
        without: ['productId', 'geo'],
        optional: ['ip_count', 'update_time'],
      }),
      ...(geo === undefined ? [] : [{ path: `${base}/geo`, value: geo }]),
    ],
  }
}

/** Country codes, from codes or from objects that contain one. */
function countries(geo: unknown): string[] | undefined {
  if (!Array.isArray(geo)) return undefined
  const codes = geo.map((item) =>
    typeof item === 'string'
      ? item
      : isObject(item)
        ? Object.values(item).find((one) => /^[A-Z]{2}$/.test(String(one)))
        : undefined,
  )
  return codes.every((code): code is string => typeof code === 'string' && /^[A-Z]{2}$/.test(code))
    ? codes
    : undefined
}

export const order: Extractor = (exchange) => {
  const { path, request, response } = exchange
  const pid = path['pid'] ?? ''
  const asked = isObject(request.value) ? request.value : {}
  const client = `clients/${String(asked['clientid'])}`
  if (!isId(pid)) return { sights: [] }
  const there = [implied(`products/${pid}`, true)]
  const both = [...there, ...(isId(asked['clientid']) ? [implied(client, true)] : [])]
  if (response.status === 200 && isObject(response.value)) {
    const amount = typed(response.value['amount'], { type: 'number' })
    return {
      sights: [
        ...both,
        ...(amount === undefined ? [] : [implied(`products/${pid}/price`, amount)]),
        ...(asked['setip'] === undefined ? [] : [implied(`products/${pid}/product_type`, 'fpr')]),
      ],
    }
  }
  switch (caseName(exchange)) {
    case 'product-not-found':
      return { sights: [implied(`products/${pid}`, false)] }
    case 'client-not-found':
      return { sights: isId(asked['clientid']) ? [...there, implied(client, false)] : there }
    case 'insufficient-funds':
      return { sights: both }
    case undefined:
    default:
      return { sights: [] }
  }
}

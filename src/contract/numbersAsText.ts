import { asArray, asObject, type Schema } from './Contract.ts'

/**
 * A value with its numbers as texts, where its schemas allow them: `5001` as `"5001"`, and with `x-decimals: 2` `20` as
 * `"20.00"`.
 */
export function numbersAsText(value: unknown, schemas: readonly Schema[]): unknown {
  const all = schemas.flatMap(withParts)
  if (typeof value === 'number') {
    if (!all.some(({ type }) => type === 'string')) return value
    const decimals = all.find((schema) => schema['x-decimals'] !== undefined)?.['x-decimals']
    return decimals === undefined ? plainText(value) : value.toFixed(Number(decimals))
  }
  if (Array.isArray(value)) {
    const items = all.map((schema) => asObject(schema['items']))
    return value.map((item) => numbersAsText(item, items))
  }
  if (typeof value !== 'object' || value === null) return value
  const properties = all.map((schema) => asObject(schema['properties']))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      numbersAsText(
        item,
        properties.flatMap((own) => (Object.hasOwn(own, name) ? [asObject(own[name])] : [])),
      ),
    ]),
  )
}

/** In digits, without an exponent */
function plainText(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text
}

/** A schema and those that it is made of */
function withParts(schema: Schema): Schema[] {
  const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((key) => asArray(schema[key]))
  return [schema, ...parts.flatMap((part) => withParts(asObject(part)))]
}

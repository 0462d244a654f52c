import type { Schema } from '../contract/Contract.ts'
import { flattenSchemas, schemasAt } from '../lib/schemas.ts'
import { isObject } from '../world/mergePatch.ts'
import type { World } from '../world/World.ts'

/** Formats the numbers in a response body. The documentation doesn't specify their format, so the assumption `numbers` decides. */
export function formatNumbers(
  body: unknown,
  content: Readonly<Record<string, Schema>> | undefined,
  { assumptions }: World,
): unknown {
  return assumptions.numbers === 'string' ? numbersToStrings(body, Object.values(content ?? {})) : body
}

/**
 * Converts numbers to strings where the schemas allow it: `5001` to `"5001"`, and with `x-decimals: 2`, `20` to
 * `"20.00"`.
 */
function numbersToStrings(value: unknown, schemas: readonly Schema[]): unknown {
  if (typeof value === 'number') {
    const all = flattenSchemas(schemas)
    if (!all.some(({ type }) => type === 'string')) return value
    const decimals = all.find((schema) => schema['x-decimals'] !== undefined)?.['x-decimals']
    return decimals === undefined ? toDecimalText(value) : value.toFixed(Number(decimals))
  }
  if (Array.isArray(value)) return value.map((item) => numbersToStrings(item, schemasAt(schemas, 0)))
  if (!isObject(value)) return value
  const fields = Object.entries(value)
  return Object.fromEntries(
    fields.map(([name, item]) => [name, numbersToStrings(item, schemasAt(schemas, name))]),
  )
}

/** The digits of a number, without an exponent */
function toDecimalText(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text
}

import type { Schema } from '../contract/Contract.ts'
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
  const all = schemas.flatMap(withSubschemas)
  if (typeof value === 'number') {
    if (!all.some(({ type }) => type === 'string')) return value
    const decimals = all.find((schema) => schema['x-decimals'] !== undefined)?.['x-decimals']
    return decimals === undefined ? toDecimalText(value) : value.toFixed(Number(decimals))
  }
  if (Array.isArray(value)) {
    const items = findParts(all, (schema) => schema['items'])
    return value.map((item) => numbersToStrings(item, items))
  }
  if (!isObject(value)) return value
  const properties = findParts(all, (schema) => schema['properties'])
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      numbersToStrings(
        item,
        findParts(properties, (own) => (Object.hasOwn(own, name) ? own[name] : undefined)),
      ),
    ]),
  )
}

/** The digits of a number, without an exponent */
function toDecimalText(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text
}

/** A schema and all schemas that it is composed of */
function withSubschemas(schema: Schema): Schema[] {
  const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((key) => (schema[key] ?? []) as Schema[])
  return [schema, ...parts.flatMap(withSubschemas)]
}

function findParts(schemas: readonly Schema[], part: (schema: Schema) => unknown): Schema[] {
  return schemas.map(part).filter(isObject)
}

import type { Schema } from '../../contract/Contract.ts'
import { isObject } from '../../world/mergePatch.ts'
import type { Exchange } from '../Exchange.ts'
import { branchOf, caseOf, isNumeric } from '../parts.ts'
import type { Extractor, Sight, Sights } from './Sight.ts'

/* Shared by everything that reads responses: records, lists, and what a response implies. */

export type Bag = Record<string, unknown>

export const isId = (value: unknown): boolean => /^[1-9][0-9]{0,9}$/.test(String(value))

/**
 * The fields of a record that the contract defines, if their types are right. `optional` ones may be absent.
 */
export function fieldsOf(
  record: unknown,
  schema: Schema | undefined,
  base: string,
  { without = [], optional = [] }: { without?: string[]; optional?: string[] } = {},
): Sight[] {
  if (!isObject(record)) return []
  const properties = (branchOf(schema ?? {}, record)['properties'] ?? {}) as Record<string, Schema>
  const sights: Sight[] = [{ path: base, value: true }]
  for (const [name, own] of Object.entries(properties)) {
    if (without.includes(name)) continue
    const value = typed(record[name], branchOf(own, record[name]))
    const generated = own['x-generated'] === true
    if (value !== undefined) sights.push({ path: `${base}/${name}`, value, generated })
    else if (optional.includes(name) && (record[name] ?? '') === '')
      sights.push({ path: `${base}/${name}`, value: undefined })
  }
  return sights
}

/** A value as its schema defines it; numbers may be quoted. undefined: it has another type. */
export function typed(value: unknown, { type, enum: allowed }: Schema): unknown {
  if (value === undefined || value === null) return undefined
  if ((type === 'number' || type === 'integer') && isNumeric(value)) return Number(value)
  if (type === 'number' || type === 'integer') return typeof value === 'number' ? value : undefined
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (type === 'array') return Array.isArray(value) ? value : undefined
  if (typeof value !== 'string' || (Array.isArray(allowed) && !allowed.includes(value))) return undefined
  return value
}

export function schemaOf({ operation }: Exchange): Schema | undefined {
  return operation.responses[200]?.content['application/json']
}

export function itemsOf(exchange: Exchange): { items: Bag[]; schema: Schema } | undefined {
  const { status, value } = exchange.response
  if (status !== 200 || !Array.isArray(value)) return undefined
  const schema = branchOf(schemaOf(exchange) ?? {}, value)
  return { items: value.filter(isObject), schema: (schema['items'] ?? {}) as Schema }
}

/** Sees the records of a list, and that it has all of them. `optional` fields may be absent. */
export function listOf(kind: NonNullable<Sights['whole']>, key: string, optional: string[] = []): Extractor {
  return (exchange) => {
    const list = itemsOf(exchange)
    if (!list) return { sights: [] }
    const sights = list.items
      .filter((item) => isId(item[key]))
      .flatMap((item) =>
        fieldsOf(item, list.schema, `${kind}/${String(item[key])}`, { without: [key], optional }),
      )
    return { sights, whole: kind }
  }
}

export const implied = (path: string, value: unknown): Sight => ({ path, value, implied: true })

/** A service with such a response exists and has these fields. */
export function impliedService(id: string, like: Bag = {}): Sight[] {
  return isId(id)
    ? [
        implied(`services/${id}`, true),
        ...Object.entries(like).map(([name, value]) => implied(`services/${id}/${name}`, value)),
      ]
    : []
}

/** The case of an error, by its text. */
export function caseName({ operation, response }: Exchange): string | undefined {
  const { status, body, value } = response
  return caseOf(operation, status, body, value)?.name
}

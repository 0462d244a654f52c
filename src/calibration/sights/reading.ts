import type { Schema } from '../../contract/Contract.ts'
import { isObject } from '../../world/mergePatch.ts'
import type { Exchange } from '../Exchange.ts'
import { branchOf, caseOf, isNumeric, wrongValue } from '../parts.ts'
import type { Extractor, Sight } from './Sight.ts'

/* Shared by everything that reads responses: records, lists, and what a response implies. */

export type Bag = Record<string, unknown>

export const isId = (value: unknown): boolean => /^[1-9][0-9]{0,9}$/.test(String(value))

/**
 * The fields of a record that the contract defines, if their types are right. `optional` ones may be absent.
 */
function fieldsOf(
  record: unknown,
  schema: Schema | undefined,
  base: string,
  without: string[],
  optional: string[],
): Sight[] {
  if (!isObject(record)) return []
  const properties = (branchOf(schema ?? {}, record)['properties'] ?? {}) as Record<string, Schema>
  const sights: Sight[] = [{ path: base, value: true }]
  for (const [name, own] of Object.entries(properties)) {
    if (without.includes(name)) continue
    const branch = branchOf(own, record[name])
    const shown = typed(record[name], branch)
    // The world can't hold a value that breaks the contract.
    const value = wrongValue(branch, shown) === undefined ? shown : undefined
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

function schemaOf({ operation }: Exchange): Schema | undefined {
  return operation.responses[200]?.content['application/json']
}

export function itemsOf(exchange: Exchange): { items: Bag[]; schema: Schema } | undefined {
  const { status, value } = exchange.response
  if (status !== 200 || !Array.isArray(value)) return undefined
  const schema = branchOf(schemaOf(exchange) ?? {}, value)
  return { items: value.filter(isObject), schema: (schema['items'] ?? {}) as Schema }
}

/** Sees the records of a list. `optional` fields may be absent. */
export function listOf(kind: string, key: string, optional: string[] = []): Extractor {
  return (exchange) => {
    const { items, schema } = itemsOf(exchange) ?? { items: [] }
    return items
      .filter((item) => isId(item[key]))
      .flatMap((item) => fieldsOf(item, schema, `${kind}/${String(item[key])}`, [key], optional))
  }
}

/** Sees the record of a response. `optional` fields may be absent. */
export function recordOf(exchange: Exchange, base: string, without: string[], optional: string[]): Sight[] {
  const { status, value } = exchange.response
  return status === 200 ? fieldsOf(value, schemaOf(exchange), base, without, optional) : []
}

export function isNotFound({ response: { status } }: Exchange): boolean {
  return status === 422 || status === 404
}

/** A value that the response shows; nothing if it is undefined. */
export function seen(path: string, value: unknown, how: Pick<Sight, 'implied' | 'generated'> = {}): Sight[] {
  return value === undefined ? [] : [{ path, value, ...how }]
}

export const implied = (path: string, value: unknown): Sight => ({ path, value, implied: true })

/** A service with such a response exists and has these fields. */
export function impliedService(base: string, like: Bag = {}): Sight[] {
  return [
    implied(base, true),
    ...Object.entries(like).map(([name, value]) => implied(`${base}/${name}`, value)),
  ]
}

/** The case of an error, by its text. */
export function caseName({ operation, response }: Exchange): string | undefined {
  const { status, body, value } = response
  return caseOf(operation, status, body, value)?.name
}

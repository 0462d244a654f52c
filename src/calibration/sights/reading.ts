import type { Schema } from '../../contract/Contract.ts'
import { isObject } from '../../world/mergePatch.ts'
import type { Exchange } from '../Exchange.ts'
import { branchOf } from '../parts.ts'
import type { Sight } from './Sight.ts'

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
  if (
    (type === 'number' || type === 'integer') &&
    typeof value === 'string' &&
    /^-?\d{1,12}(?:\.\d+)?$/.test(value)
  )
    return Number(value)
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

export function caseName(
  operation: Exchange['operation'],
  status: number,
  value: unknown,
): string | undefined {
  const error = isObject(value) ? value['error'] : value
  return operation.cases.find(
    (one) => one.status === status && isObject(one.value) && one.value['error'] === error,
  )?.name
}

import { type ContractOperation, type Schema } from '../../contract/Contract.ts'
import { flattenSchemas, schemasAt } from '../../lib/schemas.ts'
import { isObject, isRealDate } from '../simulator.ts'
import type { RecordedResponse } from './Exchange.ts'

export function isMarked(schemas: readonly Schema[], mark: string): boolean {
  return flattenSchemas(schemas).some((schema) => schema[mark] === true)
}

export function jsonType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Whether one of the schemas allows a scalar value. */
export function allows(schemas: readonly Schema[], value: unknown): boolean {
  return flattenSchemas(schemas).some(({ type, enum: allowed, pattern, format, maxLength }) => {
    const isOfType = type === jsonType(value) || (type === 'integer' && Number.isInteger(value))
    if (typeof value !== 'string' || !isOfType)
      return isOfType || (Array.isArray(allowed) && allowed.includes(value))
    if (format === 'date') return isRealDate(value)
    if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) return false
    return (!Array.isArray(allowed) || allowed.includes(value)) && !(value.length > Number(maxLength))
  })
}

/** A part of a response that violates the contract where it stands. */
export class Broken {
  /** The value that was sent; undefined if it is missing */
  readonly value: unknown
  /** Whether the documentation leaves out its shape, so that only its layout is compared */
  readonly isUndocumented: boolean

  constructor(value: unknown, isUndocumented: boolean) {
    this.value = value
    this.isUndocumented = isUndocumented
  }
}

/**
 * Reads values that are written in another way than the contract's: quoted numbers, 1 for true, `active` for `Active`. Other
 * broken values are undefined. A broken item in a list of records is a record whose fields are all undefined.
 */
export function readLoosely(value: unknown, schemas: readonly Schema[]): unknown {
  if (value instanceof Broken) return readScalar(value.value, schemas)
  if (Array.isArray(value)) {
    const items = schemasAt(schemas, 0)
    return value.map((item) => readLoosely(item, items) ?? unknownRecord(items))
  }
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, readLoosely(item, schemasAt(schemas, name))]),
    )
  return readScalar(value, schemas) ?? value
}

/** A record whose fields are all undefined; undefined if the schemas also allow other values than records. */
function unknownRecord(schemas: readonly Schema[]): Record<string, undefined> | undefined {
  const parts = flattenSchemas(schemas)
  if (!parts.some(({ type }) => type === 'object') || parts.some(({ type }) => type === 'string'))
    return undefined
  const names = parts.flatMap(({ properties }) => Object.keys(Object(properties)))
  return Object.fromEntries(names.map((name) => [name, undefined]))
}

/** Returns undefined if the value can't be read as one of the contract. A 0 may also be the default of an unused column. */
export function readScalar(value: unknown, schemas: readonly Schema[]): unknown {
  const parts = flattenSchemas(schemas)
  const text = String(value).toLowerCase()
  if (parts.some(({ type }) => type === 'boolean') && ['1', 'true'].includes(text)) return true
  if (typeof value !== 'string') return undefined
  if (parts.some(({ type }) => type === 'number' || type === 'integer') && /^\d{1,12}(?:\.\d+)?$/.test(value))
    return Number(value)
  const [time] = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(value) ?? []
  if (time !== undefined && parts.some(isDateTime)) return time.replace('T', ' ')
  const names = parts.flatMap((one) => (Array.isArray(one['enum']) ? (one['enum'] as unknown[]) : []))
  return names.find((name) => typeof name === 'string' && name !== '' && name.toLowerCase() === text)
}

export function isDateTime({ pattern }: Schema): boolean {
  return String(pattern).endsWith(String.raw`\d{2}:\d{2}:\d{2}$`)
}

export function splitLines(text: string): string[] {
  return text.trimEnd().split(/\r?\n/)
}

/** The text of an error, sent as text or as `{"error": text}`. */
export function errorText({ body, value }: Pick<RecordedResponse, 'body' | 'value'>): string {
  const error = isObject(value) ? value['error'] : value
  return typeof error === 'string' ? error : body
}

export interface MatchedCase {
  name: string
  /** The values of the variable parts */
  variables: Record<string, string>
  /** Whether the whole text is variable, because it comes from upstream */
  isVariable: boolean
}

/** Finds the case whose text a response has exactly. */
export function findCase(operation: ContractOperation, response: RecordedResponse): MatchedCase | undefined {
  const text = errorText(response)
  const found = operation.cases.flatMap(({ name, status, value, fill }): MatchedCase[] => {
    if (status !== response.status) return []
    const template = errorText({ body: '', value })
    const isVariable = Object.values(fill).includes(template)
    let pattern = escapePattern(template)
    for (const [part, sample] of Object.entries(fill))
      pattern = pattern.replace(escapePattern(sample), `(?<${part}>${isVariable ? '.+' : toPattern(sample)})`)
    const match = new RegExp(`^${pattern}$`, 's').exec(text)
    return match ? [{ name, variables: { ...match.groups }, isVariable }] : []
  })
  return found.find(({ isVariable }) => !isVariable) ?? found[0]
}

/** Creates a pattern from a sample. It matches any digits, and times like `2026-01-15 13:00:00` or in ISO 8601. */
function toPattern(sample: string): string {
  return `${escapePattern(sample).replace(/\d/g, String.raw`\d`).replace(' ', '[ T]')}Z?`
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}

import type { ContractOperation, Schema } from '../contract/Contract.ts'
import { isIpv4 } from '../service/addresses.ts'
import { isObject } from '../world/mergePatch.ts'
import { isRealDate } from '../world/time.ts'
import type { RecordedResponse } from './Exchange.ts'

/* How values and texts compare with what the contract says of them. */

export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** The alternative of a schema that is for this value, or at least for this kind of value. */
export function branchOf(schema: Schema, value: unknown): Schema {
  const { allOf, oneOf, anyOf } = schema
  if (Array.isArray(allOf)) {
    const parts = (): Schema[] => (allOf as Schema[]).map((part) => branchOf(part, value))
    const merged = mergedSchemas.get(schema) ?? Object.assign({}, ...parts(), schema, { allOf: undefined })
    mergedSchemas.set(schema, merged)
    return merged
  }
  const branches = (oneOf ?? anyOf) as Schema[] | undefined
  if (!branches) return schema
  const resolved = branches.map((branch) => branchOf(branch, value))
  const ofKind = resolved.filter((branch) => isOfType(branch, value))
  return ofKind.find((branch) => mismatch(branch, value) === undefined) ?? ofKind[0] ?? resolved[0] ?? {}
}

const mergedSchemas = new WeakMap<Schema, Schema>()

function isOfType({ type }: Schema, value: unknown): boolean {
  return type === undefined || (type === 'integer' ? Number.isInteger(value) : type === kindOf(value))
}

const patterns = new Map<unknown, RegExp>()

/** How a value itself, without what is in it, breaks its schema. */
export function mismatch(schema: Schema, value: unknown): string | undefined {
  if (!isOfType(schema, value)) return `must be ${String(schema['type'])}, not ${kindOf(value)}`
  const { enum: allowed, pattern, format, minimum, maxItems, maxLength } = schema
  if (Array.isArray(allowed) && !allowed.includes(value)) return `must be one of: ${allowed.join(', ')}`
  if (typeof value === 'string') {
    if (typeof pattern === 'string') {
      let compiled = patterns.get(pattern)
      if (!compiled) patterns.set(pattern, (compiled = new RegExp(pattern, 'u')))
      if (!compiled.test(value)) return `must match ${pattern}`
    }
    if (format === 'date' && !isRealDate(value)) return 'must be a date, YYYY-MM-DD'
    if (value.length > Number(maxLength)) return `must have at most ${String(maxLength)} characters`
  }
  if (typeof value === 'number' && value < Number(minimum)) return `must be ${String(minimum)} or more`
  if (Array.isArray(value) && value.length > Number(maxItems))
    return `must have at most ${String(maxItems)} items`
  return undefined
}

/** A quoted number breaks the contract, but says what a number would. */
export function unquoted({ type }: Schema, value: unknown): unknown {
  const isQuoted = typeof value === 'string' && /^-?\d{1,12}(?:\.\d+)?$/.test(value)
  return isQuoted && (type === 'number' || type === 'integer') ? Number(value) : value
}

/** Whether a schema, or one of its alternatives, isn't in the documentation. */
export function isUndocumented(schema: Schema | undefined): boolean {
  const branches = (schema?.['oneOf'] ?? []) as Schema[]
  return schema?.['x-undocumented'] === true || branches.some(isUndocumented)
}

export function linesOf(text: string): string[] {
  return text.trimEnd().split(/\r?\n/)
}

/** Whether the entries of an IP list are addresses alone; undefined if it has none. */
export function layoutOf(entries: readonly unknown[]): 'addresses' | 'more' | undefined {
  const entry = entries.map(String).find((one) => /^(?:\d{1,3}\.){3}\d/.test(one))
  return entry === undefined ? undefined : isIpv4(entry) ? 'addresses' : 'more'
}

/** The text of an error, sent as text or as `{"error": text}`. */
export function errorText({ body, value }: Pick<RecordedResponse, 'body' | 'value'>): string {
  const error = isObject(value) ? value['error'] : value
  return typeof error === 'string' ? error : body
}

export interface FoundCase {
  name: string
  /** The values of its variable parts */
  filled: Record<string, string>
  /** It is variable from end to end: it comes from upstream */
  isFree: boolean
}

/** The case whose text this is, to the letter. */
export function caseOf(operation: ContractOperation, response: RecordedResponse): FoundCase | undefined {
  const text = errorText(response)
  const found = operation.cases.flatMap(({ name, status, value, fill }): FoundCase[] => {
    if (status !== response.status) return []
    const own = errorText({ body: '', value })
    const isFree = Object.values(fill).includes(own)
    let pattern = escaped(own)
    for (const [part, sample] of Object.entries(fill))
      pattern = pattern.replace(escaped(sample), `(?<${part}>${isFree ? '.+' : shapeOf(sample)})`)
    const match = new RegExp(`^${pattern}$`, 's').exec(text)
    return match ? [{ name, filled: { ...match.groups }, isFree }] : []
  })
  return found.find(({ isFree }) => !isFree) ?? found[0]
}

/** Texts like this one: other digits, and times in the other common form. */
function shapeOf(sample: string): string {
  return `${escaped(sample).replace(/\d/g, String.raw`\d`).replace(' ', '[ T]')}Z?`
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}

import type { ContractOperation, Schema } from '../contract/Contract.ts'
import { isIpv4 } from '../world/addresses.ts'
import { isObject } from '../world/mergePatch.ts'
import { isRealDate } from '../world/time.ts'

/* How values and texts compare with what the contract says of them. */

/** The alternative of a schema that is for this kind of value. */
export function branchOf(schema: Schema, value: unknown): Schema {
  const all = schema['allOf']
  if (Array.isArray(all)) {
    const { allOf: _, ...rest } = schema
    return branchOf(Object.assign({}, ...(all as Schema[]), rest) as Schema, value)
  }
  const branches = schema['oneOf'] ?? schema['anyOf']
  if (!Array.isArray(branches)) return schema
  const resolved = (branches as Schema[]).map((branch) => branchOf(branch, value))
  const fitting = resolved.filter(({ type }) => isOfType(type, value))
  return fitting.find((branch) => mismatch(branch, value) === undefined) ?? fitting[0] ?? resolved[0] ?? {}
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

export function isOfType(type: unknown, value: unknown): boolean {
  if (typeof type !== 'string') return true
  return type === 'integer' ? Number.isInteger(value) : type === kindOf(value)
}

const patterns = new Map<string, RegExp>()

/** How a value itself, without what is in it, breaks its schema. */
export function mismatch(schema: Schema, value: unknown): string | undefined {
  const { type, enum: allowed, pattern, format, minimum, maxItems, maxLength } = schema
  if (!isOfType(type, value)) return `must be ${String(type)}, not ${kindOf(value)}`
  if (Array.isArray(allowed) && !allowed.includes(value)) return `must be one of: ${allowed.join(', ')}`
  if (typeof pattern === 'string' && typeof value === 'string') {
    let compiled = patterns.get(pattern)
    if (!compiled) patterns.set(pattern, (compiled = new RegExp(pattern, 'u')))
    if (!compiled.test(value)) return `must match ${pattern}`
  }
  if (format === 'date' && typeof value === 'string' && !isRealDate(value))
    return 'must be a date, YYYY-MM-DD'
  if (typeof minimum === 'number' && typeof value === 'number' && value < minimum)
    return `must be ${minimum} or more`
  if (typeof maxLength === 'number' && typeof value === 'string' && value.length > maxLength)
    return `must have at most ${maxLength} characters`
  if (typeof maxItems === 'number' && Array.isArray(value) && value.length > maxItems)
    return `must have at most ${maxItems} items`
  return undefined
}

/** A number, quoted */
export function isNumeric(value: unknown): value is string {
  return typeof value === 'string' && /^-?\d{1,12}(?:\.\d+)?$/.test(value)
}

export function isNumber({ type }: Schema): boolean {
  return type === 'number' || type === 'integer'
}

/** Whether the entries of an IP list are addresses alone; undefined if it has none. */
export function layoutOf(lines: readonly unknown[]): 'addresses' | 'more' | undefined {
  const entry = lines.map(String).find((line) => /^(?:\d{1,3}\.){3}\d/.test(line))
  return entry === undefined ? undefined : isIpv4(entry) ? 'addresses' : 'more'
}

export function linesOf(text: string): string[] {
  return text.replace(/\s+$/, '').split(/\r?\n/)
}

/** The text of an error, sent as text or as `{"error": text}`. */
export function errorText(body: string, value: unknown): string {
  const error = isObject(value) ? value['error'] : value
  return typeof error === 'string' ? error : body
}

/** The case whose text matches to the letter, with the values of its variable parts. */
export function caseOf(
  operation: ContractOperation,
  status: number,
  body: string,
  value: unknown,
): { name: string; filled: Record<string, string>; isFree: boolean } | undefined {
  const text = errorText(body, value)
  const cases = operation.cases
    .filter((one) => one.status === status)
    .map((one) => ({ ...one, text: errorText('', one.value) }))
  const exact = cases.find((one) => one.text === text && Object.keys(one.fill).length === 0)
  if (exact) return { name: exact.name, filled: {}, isFree: false }
  for (const one of cases) {
    const fills = Object.entries(one.fill)
    if (fills.length === 0) continue
    let pattern = escaped(one.text)
    for (const [name, sample] of fills) pattern = pattern.replace(escaped(sample), `(?<${name}>.+)`)
    const match = new RegExp(`^${pattern}$`, 's').exec(text)
    if (match)
      return {
        name: one.name,
        filled: { ...match.groups },
        isFree: fills.some(([, sample]) => sample === one.text),
      }
  }
  return undefined
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}

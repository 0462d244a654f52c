import { type ContractOperation, type Schema } from '../../contract/Contract.ts'
import { flattenSchemas } from '../../lib/schemas.ts'
import { isObject } from '../simulator.ts'
import type { RecordedResponse } from './RecordedExchange.ts'

export function isMarked(schemas: readonly Schema[], mark: string): boolean {
  return flattenSchemas(schemas).some((schema) => schema[mark] === true)
}

export function jsonType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
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

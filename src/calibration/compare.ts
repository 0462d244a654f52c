import type { ContractOperation, Schema } from '../contract/Contract.ts'
import { asObject } from '../contract/Contract.ts'
import type { Validator } from '../contract/validator/createValidator.ts'
import { redacted } from '../journal/redaction/Redactor.ts'
import { compareValues } from '../operations/listProductsOrderedBy.ts'
import { isObject } from '../world/mergePatch.ts'
import { parseDateTime } from '../world/time.ts'
import type { Exchange, RecordedResponse } from './Exchange.ts'
import { isName } from './Placeholders.ts'
import {
  branchOf,
  caseOf,
  errorText,
  isUndocumented,
  kindOf,
  layoutOf,
  linesOf,
  mismatch,
  unquoted,
} from './schemas.ts'

type Scalar = string | number | boolean | null

/** A part in which two responses differ. */
export interface Difference {
  /** `(status)`, `case`, `[service_id=5001].price`… */
  path: string
  /** undefined: it has none */
  real: Scalar | undefined
  ours: Scalar | undefined
  /** The service generates it (`x-generated`) */
  generated: boolean
}

/** The path of the HTTP status: not that of any field, as some records have a `status`. */
export const httpStatus = '(status)'

/**
 * Compares two responses part by part, as the operation's schema has them. Items of lists go by their keys, so that order
 * doesn't matter. What breaks the contract isn't compared.
 */
export function compare(exchange: Exchange, ours: RecordedResponse, real: RecordedResponse): Difference[] {
  const found: Difference[] = []
  const { operation } = exchange
  if (ours.status !== real.status) found.push(differ(httpStatus, real.status, ours.status))
  else if (real.status >= 400) found.push(...compareErrors(operation, ours, real))
  else found.push(...compareBodies(exchange, ours, real))
  return found
}

/** How a response breaks the contract. A shape that isn't documented may be any. */
export function issuesOf(
  operation: ContractOperation,
  response: RecordedResponse,
  validator: Validator,
): string[] {
  const declared = operation.responses[response.status]
  const [first] = Object.keys(declared?.content ?? {})
  const typed = { ...response, type: response.type ?? first } // some recorders don't keep it
  const violations = validator.response(operation, typed)
  const schema = declared?.content['application/json']
  const kind = bodyKind(response)
  if (!declared || (kind === 'none' && violations.length > 0)) return violations
  if (kind === 'text' && !declared.content[typed.type ?? ''] && isUndocumented(schema)) return []
  if (response.status >= 400 && !caseOf(operation, response))
    return [...violations.filter(isOfType), `the text is not among those of a ${response.status}`]
  if (response.status >= 400 || kind !== 'json' || !schema) return violations
  const issues: Issue[] = []
  checkValue(schema, response.value, '', false, issues)
  if (issues.length === 0) return violations
  const own = issues.filter(({ isFree }) => !isFree).map(({ message }) => message)
  return [...violations.filter(isOfType), ...own]
}

function isOfType(violation: string): boolean {
  return violation.startsWith('content type')
}

interface Issue {
  message: string
  /** In a shape that isn't documented */
  isFree: boolean
}

function checkValue(schema: Schema, value: unknown, path: string, isIn: boolean, issues: Issue[]): void {
  const own = branchOf(schema, value)
  const isFree = isIn || schema['x-undocumented'] === true || own['x-undocumented'] === true
  const report = (at: string, what: string): number => issues.push({ message: `${at} ${what}`, isFree })
  const wrong = mismatch(own, value)
  if (wrong !== undefined) report(path || 'the body', wrong)
  else if (Array.isArray(value))
    for (const item of value) checkValue(asObject(own['items']), item, `${path}[]`, isFree, issues)
  else if (isObject(value)) {
    const { properties = {}, required = [], additionalProperties } = own as ObjectSchema
    const prefix = path === '' ? '' : `${path}.`
    for (const name of required) if (!Object.hasOwn(value, name)) report(`${prefix}${name}`, 'is missing')
    for (const [name, item] of Object.entries(value)) {
      const property = propertyOf(properties, name)
      if (property) checkValue(property, item, `${prefix}${name}`, isFree, issues)
      else if (additionalProperties === false)
        report(isName(name) ? `${prefix}${name}` : `${prefix}${redacted}`, 'is not in the contract')
    }
  }
}

interface ObjectSchema {
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
}

function propertyOf(properties: Record<string, Schema>, name: string): Schema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}

function compareErrors(
  operation: ContractOperation,
  ours: RecordedResponse,
  real: RecordedResponse,
): Difference[] {
  const [mine, theirs] = [caseOf(operation, ours), caseOf(operation, real)]
  if (!theirs) return []
  if (mine?.name !== theirs.name) return [differ('case', theirs.name, mine?.name ?? errorText(ours))]
  if (theirs.isFree) return []
  return Object.entries(theirs.filled)
    .filter(([name, text]) => !isSameTime(mine.filled[name], text))
    .map(([name, text]) => differ(`case.${name}`, text, mine.filled[name]))
}

function compareBodies(
  { operation, path }: Exchange,
  ours: RecordedResponse,
  real: RecordedResponse,
): Difference[] {
  const { content = {}, mayBeEmpty = true } = operation.responses[real.status] ?? {}
  const json = content['application/json']
  const text = content[real.type ?? '']
  const [kind, mine] = [bodyKind(real), bodyKind(ours)]
  if (kind === 'none' ? !mayBeEmpty : kind === 'text' && (!text || text === json)) return [] // not in the contract
  if (kind !== mine) return [differ('body', kind, mine)]
  if (kind === 'none') return []
  if (kind === 'text') {
    const [a, b] = [linesOf(ours.body), linesOf(real.body)]
    const isGenerated = text?.['x-generated'] === true
    const [whole, other] = [a.join('\n'), b.join('\n')]
    return [...(whole === other ? [] : [differ('text', other, whole, isGenerated)]), ...layouts('', a, b)]
  }
  const schema = json ?? Object.values(content)[0] ?? {}
  const issues: Issue[] = []
  checkValue(schema, real.value, '', false, issues)
  const found: Difference[] = []
  compareValue(schema, ours.value, real.value, '', found)
  const by = path[String(operation.schema['x-ordered-by'])]
  const [a, b] = [orderOf(ours.value, by), orderOf(real.value, by)]
  if (b !== undefined && a !== b) found.push(differ('order', b, a))
  // Of a shape that isn't documented, only what both have is compared.
  const isFree = issues.some((issue) => issue.isFree)
  return isFree ? found.filter((one) => one.real !== undefined && one.ours !== undefined) : found
}

function bodyKind({ body, type, value }: RecordedResponse): 'none' | 'text' | 'json' {
  if (body === '') return 'none'
  return value === undefined || type?.startsWith('text/') ? 'text' : 'json'
}

function differ(path: string, real: unknown, ours: unknown, generated = false): Difference {
  const isBoth = real !== undefined && ours !== undefined
  return { path, real: shown(real), ours: shown(ours), generated: generated && isBoth }
}

function shown(value: unknown): Scalar | undefined {
  return typeof value === 'object' ? kindOf(value) : (value as Scalar | undefined)
}

function compareValue(schema: Schema, ours: unknown, real: unknown, path: string, found: Difference[]): void {
  const own = branchOf(schema, real)
  const value = unquoted(own, real)
  if (mismatch(own, value) !== undefined) return
  if (!isEqual(own, ours, value)) {
    const generated = own['x-generated'] === true
    if (kindOf(ours) !== kindOf(value) || typeof value !== 'object')
      found.push(differ(path || 'body', value, ours, generated))
    else if (Array.isArray(value)) compareItems(own, ours as unknown[], value, path, found)
    else compareFields(own, ours as Fields, value as Fields, path, found)
  }
}

type Fields = Record<string, unknown>

function compareFields(schema: Schema, ours: Fields, real: Fields, path: string, found: Difference[]): void {
  const { properties = {}, required = [] } = schema as ObjectSchema
  for (const name of new Set([...Object.keys(real), ...Object.keys(ours)])) {
    const at = path === '' ? name : `${path}.${name}`
    const property = propertyOf(properties, name)
    if (!property || (!Object.hasOwn(real, name) && required.includes(name))) continue // it breaks the contract
    if (Object.hasOwn(real, name) && Object.hasOwn(ours, name))
      compareValue(property, ours[name], real[name], at, found)
    else if (mismatch(branchOf(property, real[name]), real[name]) === undefined || !Object.hasOwn(real, name))
      found.push(differ(at, real[name], ours[name]))
  }
}

function compareItems(
  schema: Schema,
  ours: readonly unknown[],
  real: readonly unknown[],
  path: string,
  found: Difference[],
): void {
  const items = asObject(schema['items'])
  if (ours.every(isObject) && real.every(isObject)) {
    const [mine, theirs] = [keyed(ours), keyed(real)]
    for (const key of new Set([...theirs.keys(), ...mine.keys()])) {
      const at = `${path}[${key}]`
      if (mine.has(key) && theirs.has(key)) compareValue(items, mine.get(key), theirs.get(key), at, found)
      else found.push(differ(at, theirs.get(key), mine.get(key)))
    }
  } else if (ours.length > 0 && real.length > 0 && kindOf(ours[0]) !== kindOf(real[0]))
    found.push(differ(`${path}[]`, kindOf(real[0]), kindOf(ours[0])))
  else {
    const [mine, theirs] = [ours, real].map((all) => all.map(String).toSorted().join(', '))
    const own = branchOf(items, real[0])
    if (mine !== theirs) found.push(differ(`${path}[] values`, theirs, mine, own['x-generated'] === true))
    found.push(...layouts(`${path}[] `, ours, real))
  }
}

/** Fields that identify an item of a list, by precedence */
const keys = [['service_id'], ['productId'], ['id'], ['server', 'session'], ['date'], ['code'], ['ip']]

function keyed(items: readonly Fields[]): Map<string, Fields> {
  return new Map(
    items.map((item, i) => {
      const key = keys.find((names) => names.every((name) => Object.hasOwn(item, name)))
      return [key?.map((name) => `${name}=${String(item[name])}`).join(',') ?? String(i), item]
    }),
  )
}

function layouts(path: string, ours: readonly unknown[], real: readonly unknown[]): Difference[] {
  const [a, b] = [layoutOf(ours), layoutOf(real)]
  return a !== undefined && b !== undefined && a !== b ? [differ(`${path}layout`, b, a)] : []
}

function isEqual({ pattern }: Schema, a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) < 1e-9
  return typeof pattern === 'string' && pattern.endsWith(String.raw`\d{2}:\d{2}:\d{2}$`) && isSameTime(a, b)
}

/** Clocks are only known to the second. */
function isSameTime(a: unknown, b: unknown): boolean {
  return a === b || Math.abs(parseDateTime(String(a)) - parseDateTime(String(b))) <= 1000
}

/** How a list is sorted by a field; undefined if all its values are equal or the items don't have it. */
function orderOf(list: unknown, field = ''): string | undefined {
  const values = Array.isArray(list) ? list.map((item) => asObject(item)[field]) : []
  if (values.some((one) => typeof one !== 'number' && typeof one !== 'string')) return undefined
  for (const order of [compareValues, alphabetically]) {
    const signs = values.slice(1).map((one, i) => Math.sign(order(values[i] as never, one as never)))
    if (signs.every((sign) => sign === 0)) return undefined
    if (signs.every((sign) => sign <= 0)) return 'ascending'
    if (signs.every((sign) => sign >= 0)) return 'descending'
  }
  return 'unsorted'
}

/** The documentation doesn't say how texts sort: this is the other way. */
function alphabetically(a: unknown, b: unknown): number {
  return String(a).toLowerCase().localeCompare(String(b).toLowerCase(), 'en')
}

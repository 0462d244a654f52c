import { asObject, type ContractOperation, type Schema } from '../contract/Contract.ts'
import type { Validator } from '../contract/validator/createValidator.ts'
import { compareValues } from '../service/operations/listProductsOrderedBy.ts'
import { isObject } from '../world/mergePatch.ts'
import { parseDateTime } from '../world/time.ts'
import type { Exchange, RecordedResponse } from './Exchange.ts'
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

/** A value with its parts, as its schema has them. */
export interface Part {
  value: unknown
  schema: Schema
  /** Fields by name, items of a list by `[key]` */
  parts: Map<string, Part>
  /** How it breaks the contract */
  issue: string | undefined
  /** It breaks the contract so that it can't be compared */
  isWrong: boolean
  /** In a shape that isn't documented: it may have any */
  isFree: boolean
}

function partOf(schema: Schema, given: unknown, isWithinFree = false): Part {
  const own = branchOf(schema, given)
  const value = unquoted(own, given)
  const isFree = isWithinFree || schema['x-undocumented'] === true || own['x-undocumented'] === true
  const parts = new Map<string, Part>()
  const isWrong = mismatch(own, value) !== undefined
  const part: Part = { value, schema: own, parts, issue: mismatch(own, given), isWrong, isFree }
  if (isWrong) return part
  if (Array.isArray(value))
    for (const [i, item] of value.entries())
      parts.set(`[${keyOf(item) ?? i}]`, partOf(asObject(own['items']), item, isFree))
  else if (isObject(value)) {
    const { properties = {}, required = [], additionalProperties } = own as ObjectSchema
    const wrong = (issue?: string): Part => ({
      ...part,
      value: undefined,
      parts: new Map(),
      issue,
      isWrong: true,
    })
    for (const name of required) if (!Object.hasOwn(value, name)) parts.set(name, wrong('is missing'))
    for (const [name, item] of Object.entries(value))
      if (Object.hasOwn(properties, name)) parts.set(name, partOf(asObject(properties[name]), item, isFree))
      else parts.set(name, wrong(additionalProperties === false ? 'is not in the contract' : undefined))
  }
  return part
}

interface ObjectSchema {
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
}

/** Fields that identify an item of a list, by precedence */
const keys = [['service_id'], ['productId'], ['id'], ['server', 'session'], ['date'], ['code'], ['ip']]

function keyOf(item: unknown): string | undefined {
  if (!isObject(item)) return undefined
  const key = keys.find((names) => names.every((name) => Object.hasOwn(item, name)))
  return key?.map((name) => `${name}=${String(item[name])}`).join(',')
}

interface Body {
  kind: 'none' | 'text' | 'json'
  /** As the contract has it, a text as a list of lines; undefined if the contract has no such body */
  part?: Part
}

const bodies = new WeakMap<RecordedResponse, Body>()

/** The body of a response as the contract has it. Responses are replayed over and over: it is read once. */
export function bodyOf(operation: ContractOperation, response: RecordedResponse): Body {
  let body = bodies.get(response)
  if (!body) bodies.set(response, (body = readBody(operation, response)))
  return body
}

function readBody({ responses }: ContractOperation, { status, type, body, value }: RecordedResponse): Body {
  if (body === '') return { kind: 'none' }
  const { content = {} } = responses[status] ?? {}
  const json = content['application/json']
  if (value !== undefined && !type?.startsWith('text/'))
    return { kind: 'json', part: partOf(json ?? Object.values(content)[0] ?? {}, value) }
  const text = content[type ?? '']
  const isText = text !== undefined && text !== json
  return { kind: 'text', ...(isText && { part: partOf({ type: 'array', items: text }, linesOf(body)) }) }
}

/** How a response breaks the contract. A shape that isn't documented may be any. */
export function issuesOf(
  operation: ContractOperation,
  response: RecordedResponse,
  validator: Validator,
): string[] {
  const { status } = response
  const declared = operation.responses[status]
  const [usual] = Object.keys(declared?.content ?? {})
  const typed = { ...response, type: response.type ?? usual } // some recorders don't keep it
  const violations = validator.response(operation, typed)
  const { kind, part } = bodyOf(operation, response)
  if (!declared || kind === 'none') return violations
  if (kind === 'text' && !part && isUndocumented(declared.content['application/json'])) return []
  const ofType = violations.filter((violation) => violation.startsWith('content type'))
  if (status >= 400)
    return caseOf(operation, response)
      ? violations
      : [...ofType, `the text is not among those of a ${status}`]
  const issues = kind === 'json' && part ? issuesIn(part) : []
  if (issues.length === 0) return violations
  return [...ofType, ...issues.filter((one) => !one.isFree).map(({ message }) => message)]
}

function issuesIn({ parts, issue, isFree }: Part, path = ''): { message: string; isFree: boolean }[] {
  const below = [...parts].flatMap(([name, part]) =>
    issuesIn(part, name.startsWith('[') ? `${path}[]` : path === '' ? name : `${path}.${name}`),
  )
  return issue === undefined ? below : [{ message: `${path || 'the body'} ${issue}`, isFree }, ...below]
}

const known = new WeakMap<Exchange, Map<string, Difference[]>>()

/** How our response to an exchange differs from the recorded one; remembered, as replays get the same over and over. */
export function differencesFrom(exchange: Exchange, ours: RecordedResponse): Difference[] {
  let own = known.get(exchange)
  if (!own) known.set(exchange, (own = new Map()))
  const key = `${ours.status} ${ours.type} ${ours.body}`
  let found = own.get(key)
  if (!found) own.set(key, (found = compare(exchange, ours, exchange.response)))
  return found
}

/** Compares two responses part by part, as the contract has them. What breaks the contract isn't compared. */
export function compare(
  { operation, path }: Exchange,
  ours: RecordedResponse,
  real: RecordedResponse,
): Difference[] {
  if (ours.status !== real.status) return [differ(httpStatus, real.status, ours.status)]
  if (real.status >= 400) return errorDifferences(operation, ours, real)
  const [theirs, mine] = [bodyOf(operation, real), bodyOf(operation, ours)]
  const isContract = theirs.kind === 'none' ? operation.responses[real.status]?.mayBeEmpty : theirs.part
  if (!isContract) return []
  if (theirs.kind !== mine.kind) return [differ('body', theirs.kind, mine.kind)]
  if (!theirs.part || !mine.part) return []
  const found = [...partDifferences(theirs.part, mine.part, '')]
  const by = path[String(operation.schema['x-ordered-by'])]
  const [a, b] = [orderOf(ours.value, by), orderOf(real.value, by)]
  if (b !== undefined && a !== b) found.push(differ('order', b, a))
  // Of a shape that isn't documented, only what both have is compared.
  const isFree = issuesIn(theirs.part).some((issue) => issue.isFree)
  return isFree ? found.filter((one) => one.real !== undefined && one.ours !== undefined) : found
}

function errorDifferences(
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

function* partDifferences(real: Part, ours: Part, path: string): Generator<Difference> {
  const { schema, value: a } = real
  const { value: b } = ours
  if (real.isWrong || isEqual(schema, a, b)) return
  if (kindOf(a) !== kindOf(b) || typeof a !== 'object')
    yield differ(path || 'body', a, b, schema['x-generated'] === true)
  else if (Array.isArray(a) && Array.isArray(b) && ![...a, ...b].every(isObject))
    yield* listDifferences(real, a, b, `${path}[]`)
  else
    for (const name of new Set([...real.parts.keys(), ...ours.parts.keys()])) {
      const [theirs, mine] = [real.parts.get(name), ours.parts.get(name)]
      const at = path === '' || name.startsWith('[') ? path + name : `${path}.${name}`
      if (theirs && mine) yield* partDifferences(theirs, mine, at)
      else if (!theirs?.isWrong) yield differ(at, theirs?.value, mine?.value)
    }
}

/** Lists of texts are compared whatever their order. */
function* listDifferences(
  { parts }: Part,
  real: readonly unknown[],
  ours: readonly unknown[],
  path: string,
): Generator<Difference> {
  const [a, b] = [real, ours].map(([first]) => (first === undefined ? undefined : kindOf(first)))
  if (a && b && a !== b) return yield differ(path, a, b)
  const [theirs, mine] = [real, ours].map((all) => all.map(String).toSorted().join('\n'))
  const [[, item] = []] = parts
  if (theirs !== mine) yield differ(`${path} values`, theirs, mine, item?.schema['x-generated'] === true)
  const [layout, other] = [layoutOf(real), layoutOf(ours)]
  if (layout && other && layout !== other) yield differ(`${path} layout`, layout, other)
}

function differ(path: string, real: unknown, ours: unknown, generated = false): Difference {
  const isBoth = real !== undefined && ours !== undefined
  return { path, real: shown(real), ours: shown(ours), generated: generated && isBoth }
}

function shown(value: unknown): Scalar | undefined {
  return typeof value === 'object' ? kindOf(value) : (value as Scalar | undefined)
}

function isEqual({ pattern }: Schema, a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) < 1e-9
  return typeof pattern === 'string' && pattern.endsWith(String.raw`\d{2}:\d{2}:\d{2}$`) && isSameTime(a, b)
}

/** Clocks are only known to the second. */
function isSameTime(a: unknown, b: unknown): boolean {
  return a === b || Math.abs(parseDateTime(String(a), 'UTC') - parseDateTime(String(b), 'UTC')) <= 1000
}

/**
 * How a list is sorted by a field; undefined if all its values are equal, the items don't have it, or it depends on how
 * texts are compared, which the documentation doesn't say.
 */
function orderOf(list: unknown, field = ''): string | undefined {
  const values = Array.isArray(list) ? list.map((item) => asObject(item)[field]) : []
  if (values.some((one) => typeof one !== 'number' && typeof one !== 'string')) return undefined
  const orders = [compareValues, alphabetically].flatMap((compared) => {
    const signs = values.slice(1).map((one, i) => compared(values[i] as never, one as never))
    if (signs.every((sign) => sign === 0)) return 'equal'
    return signs.every((sign) => sign <= 0)
      ? 'ascending'
      : signs.every((sign) => sign >= 0)
        ? 'descending'
        : []
  })
  const [order = 'unsorted', other = order] = orders
  return order === 'equal' || order !== other ? undefined : order
}

function alphabetically(a: number | string, b: number | string): number {
  if (typeof a === 'number' || typeof b === 'number') return compareValues(a, b)
  return a.toLowerCase().localeCompare(b.toLowerCase(), 'en')
}

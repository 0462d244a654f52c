import { asObject, type ContractOperation, type Schema } from '../../contract/Contract.ts'
import { isIPv4 } from 'node:net'
import { itemKeys } from './service/observe.ts'
import { compareValues } from '../../lib/compareValues.ts'
import { isId, isObject, parseTime } from '../simulator.ts'
import { type Body, readBody, type CheckedResponse } from './checkResponse.ts'
import type { Exchange, RecordedResponse } from './Exchange.ts'
import { Broken, findCase, errorText, isDateTime, isMarked, jsonType } from './schemas.ts'
import { flattenSchemas, schemasAt } from '../../lib/schemas.ts'

type Scalar = string | number | boolean | null

/** A part that differs between two responses. */
export interface Difference {
  /** For example `(status)`, `case` or `[service_id=5001].price` */
  path: string
  /** Undefined if the response doesn't have it */
  real: Scalar | undefined
  ours: Scalar | undefined
  /** Whether the service generates the value (`x-generated`) */
  isGenerated: boolean
  /** Whether it is only another notation of the same value (20 and "20.00"), or also another type or layout */
  form: 'notation' | 'shape' | 'presence' | 'value'
  /** Whether the real value violates the contract, so that it is reported as a violation only */
  isBroken?: true
  /** Whether no response showed the value before, so that the difference proves nothing about our rules */
  isFirstRead?: true
}

export interface Comparison {
  differences: readonly Difference[]
  /** The parts of the real response that violate the contract */
  broken: readonly Difference[]
  /** Whether at least one part could be compared */
  wasCompared: boolean
  /** Whether parts of the real response weren't compared, such as those that violate the contract */
  hasUnusableParts: boolean
}

/** The path of the HTTP status. Unlike `status`, it can't be a field of a record. */
export const httpStatus = '(status)'
/** The path of the content type */
export const mediaType = 'content type'

/** Compares two responses. @param checked the comparable parts of the real response; if missing, all parts are compared */
export function compare(
  exchange: Exchange,
  ours: RecordedResponse,
  real: RecordedResponse,
  checked?: CheckedResponse,
): Comparison {
  const parts = [...compareResponses(exchange, ours, real, checked)]
  const found = parts.filter((one) => one !== undefined)
  // If the shape is undocumented, only parts that both responses have are compared.
  const mayLack = checked?.isUndocumented !== true
  return {
    differences: found.filter(
      (one) => !one.isBroken && (mayLack || (one.real !== undefined && one.ours !== undefined)),
    ),
    broken: found.filter(({ isBroken }) => isBroken),
    wasCompared: parts.some((one) => !one?.isBroken),
    hasUnusableParts: checked?.hasInvalidParts === true,
  }
}

/** Yields undefined for each equal part. */
type Parts = Generator<Difference | undefined, void>

function* compareResponses(
  { operation, path }: Exchange,
  ours: RecordedResponse,
  real: RecordedResponse,
  checked: CheckedResponse | undefined,
): Parts {
  const { status } = real
  if (ours.status !== status) return yield createDifference(httpStatus, status, ours.status)
  if (status >= 400) return yield* compareErrors(operation, ours, real)
  const realBody = checked ? checked.body : readBody(operation, real)
  const ourBody = readBody(operation, { ...ours, contentType: real.contentType && ours.contentType })
  if (!realBody) return
  const isDeclared =
    real.contentType !== undefined &&
    real.body !== '' && // the type of an empty body is meaningless
    Object.hasOwn(operation.responses[status]?.content ?? {}, real.contentType)
  const isBroken = realBody.value instanceof Broken
  const hasOtherType =
    !isBroken && isDeclared && ours.contentType !== undefined && real.contentType !== ours.contentType
  if (hasOtherType) yield createDifference(mediaType, real.contentType, ours.contentType)
  const hasOtherKind = !isBroken && realBody.kind !== ourBody.kind
  const isListAsText = hasOtherType && Array.isArray(real.value)
  if (hasOtherKind && !isListAsText) yield createDifference('body', realBody.kind, ourBody.kind, 'shape')
  if (hasOtherType || hasOtherKind) return
  yield* compareParts(realBody.value, ourBody.value, realBody.schemas, '')
  const sortField = path[String(operation.schema['x-ordered-by'])]
  const [ourOrder, realOrder] = [sortOrder(ourBody, sortField), sortOrder(realBody, sortField)]
  if (realOrder !== undefined && ourOrder !== realOrder) yield createDifference('order', realOrder, ourOrder)
}

function* compareErrors(operation: ContractOperation, ours: RecordedResponse, real: RecordedResponse): Parts {
  const [ourCase, realCase] = [findCase(operation, ours), findCase(operation, real)]
  if (!realCase) return
  if (ourCase?.name !== realCase.name)
    return yield createDifference('case', realCase.name, ourCase?.name ?? errorText(ours))
  yield undefined
  if (realCase.isVariable) return
  for (const [name, text] of Object.entries(realCase.variables))
    if (!isSameTime(ourCase.variables[name], text))
      yield createDifference(`case.${name}`, text, ourCase.variables[name])
}

function* compareParts(real: unknown, ours: unknown, schemas: readonly Schema[], path: string): Parts {
  if (real instanceof Broken) yield { ...createDifference(path || 'body', real.value, ours), isBroken: true }
  else if (Array.isArray(real) && Array.isArray(ours)) {
    const items = schemasAt(schemas, 0)
    if ([...real, ...ours].every(isRecord)) {
      const realItems = keyItems(real)
      yield* compareFields(
        realItems,
        keyItems(ours),
        () => items,
        (key) => `${path}[${key}]`,
        findLacking(realItems),
      )
    } else yield* compareLists(real, ours, items, `${path}[]`)
  } else if (isObject(real) && isObject(ours))
    yield* compareFields(
      real,
      ours,
      (name) => schemasAt(schemas, name),
      (name) => (path === '' ? name : `${path}.${name}`),
    )
  else if (isEqual(schemas, real, ours)) yield undefined
  else {
    // Two valid texts are different values, even if both are digits.
    const form = typeof real === 'string' && typeof ours === 'string' && !isUnset(real) ? 'value' : undefined
    yield createDifference(path || 'body', real, ours, form, isMarked(schemas, 'x-generated'))
  }
}

type Fields = Readonly<Record<string | symbol, unknown>>

function* compareFields(
  real: Fields,
  ours: Fields,
  getSchemas: (name: string) => readonly Schema[],
  pathTo: (name: string) => string,
  mayLack: (name: string) => boolean = () => false,
): Parts {
  const names = new Set([...Object.keys(real), ...Object.keys(ours)])
  if (names.size === 0 && !Object.hasOwn(real, brokenKey)) yield undefined
  for (const name of names) {
    const hasBoth = Object.hasOwn(real, name) && Object.hasOwn(ours, name)
    if (hasBoth || real[name] instanceof Broken)
      yield* compareParts(real[name], ours[name], getSchemas(name), pathTo(name))
    else if (!mayLack(name)) yield createDifference(pathTo(name), real[name], ours[name])
  }
}

/**
 * Returns whether the violations in a list may be the reason why only one side has an item: an item whose key is broken may be
 * any of ours, and of records without an id (days, sessions), the account holds only valid ones.
 */
function findLacking(real: Fields): (key: string) => boolean {
  const hasBrokenKey = Object.hasOwn(real, brokenKey)
  const isPartlyBroken = hasBrokenKey || Object.values(real).some(hasBrokenField)
  return (key) => (/id=/i.test(key) ? hasBrokenKey && !Object.hasOwn(real, key) : isPartlyBroken)
}

function hasBrokenField(item: unknown): boolean {
  return Object.values(asObject(item)).some((value) => value instanceof Broken)
}

/** Whether an item belongs to a list of records. A broken one may have been a record. */
function isRecord(item: unknown): boolean {
  return isObject(item) && !(item instanceof Broken && item.isUndocumented)
}

/** The key of items whose own key is broken, or an id that no world can have */
const brokenKey = Symbol('broken')

/** The items of a list, keyed by their identifying fields. */
function keyItems(list: readonly unknown[]): Fields {
  let index = 0
  return Object.fromEntries(
    list.map((item) => {
      if (item instanceof Broken) return [brokenKey, item]
      const key = itemKeys.find((names) => names.every((name) => asObject(item)[name] !== undefined))
      const values = key?.map((name) => keyText(name, asObject(item)[name]))
      if (values?.includes(undefined)) return [brokenKey, item]
      return [key?.map((name, n) => `${name}=${values?.[n]}`).join(',') ?? String(index++), item]
    }),
  )
}

/** A key as text, in the same notation whatever the service's; undefined if it can't be read, or if no world can have the id. */
function keyText(name: string, value: unknown): string | undefined {
  if (!(value instanceof Broken)) return /id$/i.test(name) && !isId(value) ? undefined : String(value)
  const { value: text } = value
  return typeof text === 'string' && /^0*[1-9]\d*$/.test(text) ? String(Number(text)) : undefined
}

/** Compares lists of scalars, ignoring their order. For generated lists, also compares the layout of the entries. */
function* compareLists(
  real: readonly unknown[],
  ours: readonly unknown[],
  schemas: readonly Schema[],
  path: string,
): Parts {
  const isGenerated = isMarked(schemas, 'x-generated')
  const items: unknown[] = []
  for (const item of real)
    if (!(item instanceof Broken)) items.push(item)
    // An item of an undocumented list is either known to an interpretation or contradicts all of them.
    else if (item.isUndocumented) items.push(item.value)
    else yield* compareParts(item, ours[0], schemas, path)
  if (items.length > 0 || real.length === 0) yield undefined
  const [realKind, ourKind] = [items, ours].map((list) => (list.length > 0 ? jsonType(list[0]) : undefined))
  if (realKind && ourKind && realKind !== ourKind)
    return yield createDifference(path, realKind, ourKind, 'shape')
  const [realLayout, ourLayout] = [addressLayout(items), addressLayout(ours)]
  if (isGenerated && realLayout && ourLayout && realLayout !== ourLayout)
    yield createDifference(`${path} layout`, realLayout, ourLayout, 'shape')
  const [realText, ourText] = [items, ours].map((list) => list.map(String).toSorted().join('\n'))
  if (realText !== ourText && items.length === real.length)
    yield createDifference(`${path} values`, realText, ourText, 'value', isGenerated)
}

/** Returns the layout of a list's entries: plain addresses, or longer entries; undefined if none has an address. */
function addressLayout(entries: readonly unknown[]): string | undefined {
  const entry = entries.map(String).find((one) => /^(?:\d{1,3}\.){3}\d/.test(one))
  return entry === undefined ? undefined : isIPv4(entry) ? 'addresses' : 'longer entries'
}

function createDifference(
  path: string,
  real: unknown,
  ours: unknown,
  form: Difference['form'] = formOf(real, ours),
  isGenerated = false,
): Difference {
  // Another notation of a generated value is a difference.
  const mayDiffer = isGenerated && form !== 'presence' && form !== 'notation'
  return { path, real: asScalar(real), ours: asScalar(ours), isGenerated: mayDiffer, form }
}

function formOf(real: unknown, ours: unknown): Difference['form'] {
  if (isSameValue(real, ours)) return 'notation'
  if (real === undefined || ours === undefined) return 'presence'
  return jsonType(real) === jsonType(ours) ? 'value' : 'shape'
}

/** Describes a valid notation that other values of the recording don't have; undefined if the values differ. */
export function describeNotation({ path, real, ours, form }: Difference): string | undefined {
  if (form !== 'notation') return undefined
  const name = path.replace(/\[[^\]]*\]/g, '[]')
  if (isNumeric(real))
    return `${name} is ${typeof real === 'string' ? 'in quotes' : 'not in quotes'}, unlike other numbers`
  const [realText, ourText] = [real, ours].map((one) => (one === undefined ? 'missing' : JSON.stringify(one)))
  return `${name} is ${realText}, but ${ourText} elsewhere`
}

function asScalar(value: unknown): Scalar | undefined {
  return typeof value === 'object' && value !== null ? jsonType(value) : (value as Scalar | undefined)
}

function isEqual(schemas: readonly Schema[], a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) < 1e-9
  const areTexts = typeof a === 'string' && typeof b === 'string'
  return areTexts && flattenSchemas(schemas).some(isDateTime) && isSameTime(a, b)
}

/** Whether a value stands for "none", however a service writes that. */
export function isUnset(value: unknown): boolean {
  return [undefined, null, '', '0000-00-00'].includes(value as never)
}

/** Whether a value is a number, or a string of digits. */
export function isNumeric(value: unknown): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(String(value))
}

/** Whether two values are the same, or the same in different notations: 20 and "20.00", or null and "". */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (isNumeric(a) && isNumeric(b)) return Number(a) === Number(b)
  return a === b || (isUnset(a) && isUnset(b))
}

/** Times are only known to the second, so equal times may differ by one second. */
function isSameTime(a: unknown, b: unknown): boolean {
  return a === b || Math.abs(parseTime(a, 'UTC') - parseTime(b, 'UTC')) <= 1000
}

/**
 * The sort order of a list by a field; undefined if all its values are equal, the items lack the field, or the order depends
 * on the collation of texts, which the documentation doesn't specify.
 */
function sortOrder({ value: list }: Body, field = ''): string | undefined {
  const values = Array.isArray(list) ? list.map((item) => asObject(item)[field]) : []
  if (values.some((one) => typeof one !== 'number' && typeof one !== 'string')) return undefined
  const compared = values.every(isNumeric) ? values.map(Number) : values
  const orders = [compareValues, compareAlphabetically].flatMap((compareItems) => {
    const signs = compared
      .slice(1)
      .map((one, i) => Math.sign(compareItems(compared[i] as never, one as never)))
    const [direction = 0, other] = new Set(signs.filter((sign) => sign !== 0))
    return other === undefined ? direction : []
  })
  const [order, other = order] = orders
  if (order === 0 || order !== other) return undefined
  return order === undefined ? 'unsorted' : order < 0 ? 'ascending' : 'descending'
}

function compareAlphabetically(a: number | string, b: number | string): number {
  if (typeof a === 'number' || typeof b === 'number') return compareValues(a, b)
  return a.toLowerCase().localeCompare(b.toLowerCase(), 'en')
}

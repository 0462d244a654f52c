import { asObject, type ContractOperation, type Schema } from '../../contract/Contract.ts'
import { isIPv4 } from 'node:net'
import { itemKeys } from './service/observe.ts'
import { compareValues } from '../../lib/compareValues.ts'
import { isObject, parseTime } from '../simulator.ts'
import { type Body, readBody, type CheckedResponse } from './checkResponse.ts'
import type { Exchange, RecordedResponse } from './Exchange.ts'
import { flattenSchemas, findCase, errorText, isDateTime, isMarked, jsonType, schemasAt } from './schemas.ts'

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
}

/** The path of the HTTP status. Unlike `status`, it can't be a field of a record. */
export const httpStatus = '(status)'

/** Compares two responses. @param checked the comparable parts of the real response; if missing, all parts are compared */
export function compare(
  { operation, path }: Exchange,
  ours: RecordedResponse,
  real: RecordedResponse,
  checked?: CheckedResponse,
): Difference[] {
  const { status } = real
  if (ours.status !== status) return [createDifference(httpStatus, status, ours.status)]
  if (status >= 400) return errorDifferences(operation, ours, real)
  const [realBody, ourBody] = [checked ? checked.body : readBody(operation, real), readBody(operation, ours)]
  if (!realBody) return []
  const isDeclared =
    real.contentType !== undefined &&
    real.body !== '' && // the type of an empty body is meaningless
    Object.hasOwn(operation.responses[status]?.content ?? {}, real.contentType)
  if (isDeclared && ours.contentType !== undefined && real.contentType !== ours.contentType)
    return [createDifference('content type', real.contentType, ours.contentType)]
  if (realBody.kind !== ourBody.kind) return [createDifference('body', realBody.kind, ourBody.kind)]
  const found = [...partDifferences(realBody.value, ourBody.value, realBody.schemas, '')]
  const sortField = path[String(operation.schema['x-ordered-by'])]
  const [ourOrder, realOrder] = [sortOrder(ourBody, sortField), sortOrder(realBody, sortField)]
  if (realOrder !== undefined && ourOrder !== realOrder)
    found.push(createDifference('order', realOrder, ourOrder))
  // If the shape is undocumented, only parts that both responses have are compared.
  return checked?.isUndocumented
    ? found.filter((one) => one.real !== undefined && one.ours !== undefined)
    : found
}

/** Whether the content of a response can be compared, not only its status. */
export function isComparable(
  operation: ContractOperation,
  real: RecordedResponse,
  { body }: CheckedResponse,
): boolean {
  return real.status >= 400 ? findCase(operation, real) !== undefined : body !== undefined
}

function errorDifferences(
  operation: ContractOperation,
  ours: RecordedResponse,
  real: RecordedResponse,
): Difference[] {
  const [ourCase, realCase] = [findCase(operation, ours), findCase(operation, real)]
  if (!realCase) return []
  if (ourCase?.name !== realCase.name)
    return [createDifference('case', realCase.name, ourCase?.name ?? errorText(ours))]
  if (realCase.isVariable) return []
  return Object.entries(realCase.variables)
    .filter(([name, text]) => !isSameTime(ourCase.variables[name], text))
    .map(([name, text]) => createDifference(`case.${name}`, text, ourCase.variables[name]))
}

function* partDifferences(
  real: unknown,
  ours: unknown,
  schemas: readonly Schema[],
  path: string,
): Generator<Difference> {
  if (isEqual(schemas, real, ours)) return
  const [realList, ourList] = [asList(real), asList(ours)]
  if (realList && ourList && ![...realList, ...ourList].every(isObject))
    yield* listDifferences(realList, ourList, schemasAt(schemas, 0), `${path}[]`)
  else if (realList && ourList)
    yield* fieldDifferences(
      keyItems(realList),
      keyItems(ourList),
      () => schemasAt(schemas, 0),
      (key) => `${path}[${key}]`,
    )
  else if (isObject(real) && isObject(ours))
    yield* fieldDifferences(
      real,
      ours,
      (name) => schemasAt(schemas, name),
      (name) => (path === '' ? name : `${path}.${name}`),
    )
  else yield createDifference(path || 'body', real, ours, isMarked(schemas, 'x-generated'))
}

type Fields = Readonly<Record<string, unknown>>

function* fieldDifferences(
  real: Fields,
  ours: Fields,
  getSchemas: (name: string) => readonly Schema[],
  pathTo: (name: string) => string,
): Generator<Difference> {
  for (const name of new Set([...Object.keys(real), ...Object.keys(ours)])) {
    const [hasReal, hasOurs] = [Object.hasOwn(real, name), Object.hasOwn(ours, name)]
    if (hasReal && real[name] === undefined) continue // violates the contract, so it is reported elsewhere
    if (hasReal && hasOurs) yield* partDifferences(real[name], ours[name], getSchemas(name), pathTo(name))
    else yield createDifference(pathTo(name), real[name], ours[name])
  }
}

function asList(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

/** The items of a list, keyed by their identifying fields. */
function keyItems(list: readonly unknown[]): Fields {
  return Object.fromEntries(
    list.map((item, i) => {
      const key = itemKeys.find((names) => names.every((name) => asObject(item)[name] !== undefined))
      return [key?.map((name) => `${name}=${String(asObject(item)[name])}`).join(',') ?? String(i), item]
    }),
  )
}

/** Compares lists of scalars, ignoring their order. For generated lists, also compares the layout of the entries. */
function* listDifferences(
  real: readonly unknown[],
  ours: readonly unknown[],
  schemas: readonly Schema[],
  path: string,
): Generator<Difference> {
  const [realItems, ourItems] = [real, ours].map((list) => list.filter((item) => item !== undefined)) as [
    unknown[],
    unknown[],
  ]
  const [realKind, ourKind] = [realItems, ourItems].map(([first]) =>
    first === undefined ? undefined : jsonType(first),
  )
  if (realKind && ourKind && realKind !== ourKind) return yield createDifference(path, realKind, ourKind)
  const isGenerated = isMarked(schemas, 'x-generated')
  const [realLayout, ourLayout] = [realItems, ourItems].map(addressLayout)
  if (isGenerated && realLayout && ourLayout && realLayout !== ourLayout)
    yield createDifference(`${path} layout`, realLayout, ourLayout)
  const [realText, ourText] = [realItems, ourItems].map((list) => list.map(String).toSorted().join('\n'))
  if (realText !== ourText && realItems.length === real.length)
    yield createDifference(`${path} values`, realText, ourText, isGenerated)
}

/** Returns the layout of a list's entries: plain addresses, or longer entries; undefined if none has an address. */
function addressLayout(entries: readonly unknown[]): string | undefined {
  const entry = entries.map(String).find((one) => /^(?:\d{1,3}\.){3}\d/.test(one))
  return entry === undefined ? undefined : isIPv4(entry) ? 'addresses' : 'longer entries'
}

function createDifference(path: string, real: unknown, ours: unknown, isGenerated = false): Difference {
  const areBothPresent = real !== undefined && ours !== undefined
  return { path, real: asScalar(real), ours: asScalar(ours), isGenerated: isGenerated && areBothPresent }
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
  const areNumbers = values.every(isNumeric)
  const compared = areNumbers ? values.map(Number) : values
  const orders = [compareValues, compareAlphabetically].flatMap((compareFields) => {
    const signs = compared.slice(1).map((one, i) => compareFields(compared[i] as never, one as never))
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

function compareAlphabetically(a: number | string, b: number | string): number {
  if (typeof a === 'number' || typeof b === 'number') return compareValues(a, b)
  return a.toLowerCase().localeCompare(b.toLowerCase(), 'en')
}

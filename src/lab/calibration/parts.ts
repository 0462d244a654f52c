import { isIPv4 } from 'node:net'
import { asObject, type ContractOperation, type Schema } from '../../contract/Contract.ts'
import { compareValues } from '../../lib/compareValues.ts'
import { flattenSchemas, schemasAt } from '../../lib/schemas.ts'
import { isObject, itemKeys, parseTime } from '../simulator.ts'
import { type Body, readBody } from './checkResponse.ts'
import type { RecordedExchange, RecordedResponse } from './RecordedExchange.ts'
import { findCase, errorText, isDateTime, isMarked, jsonType } from './schemas.ts'

type Scalar = string | number | boolean | null

/** A part of a response. */
export interface Part {
  /** A scalar, or what stands for a list or an object: its type */
  value: Scalar
  /** Whether the service generates the value (`x-generated`) */
  isGenerated?: boolean
  /** Whether the value is a time, which is only known to the second */
  isTime?: boolean
  /** Whether the part is the layout of something that another response may not have */
  isLayout?: boolean
}

/** A response as a flat map. Paths are such as `(status)`, `case`, `price` or `[service_id=5001].price`. */
export type Parts = ReadonlyMap<string, Part>

/** A part that differs between two responses. */
export interface Difference {
  path: string
  /** Undefined if the response doesn't have it */
  real: Scalar | undefined
  ours: Scalar | undefined
  isGenerated: boolean
  /** Whether it is the same value, written in another way: 20 and "20.00", or null and "" */
  isNotation: boolean
  /** Whether no response showed the value before, so that the difference proves nothing about our rules */
  isFirstRead?: true
}

/** The path of the HTTP status. Unlike `status`, it can't be a field of a record. */
export const httpStatus = '(status)'
/** The path of the content type */
export const mediaType = 'content type'

/** Reads the parts of a response. @param body its body, if not all of it counts */
export function readParts(
  { operation, path }: Pick<RecordedExchange, 'operation' | 'path'>,
  response: RecordedResponse,
  body: Body = readBody(operation, response),
): Parts {
  const { status, contentType } = response
  const parts = new Map<string, Part>([[httpStatus, { value: status }]])
  if (status >= 400) addError(parts, operation, response)
  else {
    if (contentType !== undefined && response.body !== '')
      parts.set(mediaType, { value: contentType, isLayout: true })
    if (body.value === undefined) parts.set('body', { value: 'none' })
    else addParts(parts, body.value, body.schemas, '')
    const order = sortOrder(body, path[String(operation.schema['x-ordered-by'])])
    if (order !== undefined) parts.set('order', { value: order, isLayout: true })
  }
  return parts
}

function addError(parts: Map<string, Part>, operation: ContractOperation, response: RecordedResponse): void {
  const found = findCase(operation, response)
  parts.set('case', { value: found?.name ?? errorText(response) })
  if (found && !found.isVariable)
    for (const [name, text] of Object.entries(found.variables))
      parts.set(`case.${name}`, { value: text, isTime: true })
}

function addParts(parts: Map<string, Part>, value: unknown, schemas: readonly Schema[], path: string): void {
  if (typeof value !== 'object' || value === null) {
    const isGenerated = isMarked(schemas, 'x-generated')
    const isTime = typeof value === 'string' && flattenSchemas(schemas).some(isDateTime)
    return void parts.set(path || 'body', { value: value as Scalar, isGenerated, isTime })
  }
  parts.set(path || 'body', { value: jsonType(value) })
  if (Array.isArray(value)) addItems(parts, value, schemasAt(schemas, 0), path)
  else
    for (const [name, item] of Object.entries(value))
      addParts(parts, item, schemasAt(schemas, name), path === '' ? name : `${path}.${name}`)
}

/** Adds the items of a list: records by their identifying fields, scalars as a sorted list. */
function addItems(
  parts: Map<string, Part>,
  list: readonly unknown[],
  schemas: readonly Schema[],
  path: string,
): void {
  if (list.length === 0) return
  const types = [...new Set(list.map(jsonType))]
  parts.set(`${path}[]`, { value: types.join(' and '), isLayout: true })
  if (list.every(isObject)) {
    for (const [i, item] of list.entries()) addParts(parts, item, schemas, `${path}[${itemKey(item, i)}]`)
    return
  }
  const isGenerated = isMarked(schemas, 'x-generated')
  const layout = isGenerated ? addressLayout(list) : undefined
  if (layout !== undefined) parts.set(`${path}[] layout`, { value: layout, isLayout: true })
  parts.set(`${path}[] values`, { value: list.map(String).toSorted().join('\n'), isGenerated })
}

function itemKey(item: Readonly<Record<string, unknown>>, index: number): string {
  const key = itemKeys.find((names) => names.every((name) => item[name] !== undefined))
  return key?.map((name) => `${name}=${String(item[name])}`).join(',') ?? String(index)
}

/** Returns the layout of a list's entries: plain addresses, or longer entries; undefined if none has an address. */
function addressLayout(entries: readonly unknown[]): string | undefined {
  const entry = entries.map(String).find((one) => /^(?:\d{1,3}\.){3}\d/.test(one))
  return entry === undefined ? undefined : isIPv4(entry) ? 'addresses' : 'longer entries'
}

/**
 * Compares two responses. If a list or an object is missing or of another type, its parts aren't compared.
 * @param unknownShapes lists and objects of which only the type is compared
 */
export function compare(real: Parts, ours: Parts, unknownShapes: readonly string[] = []): Difference[] {
  const found: Difference[] = []
  if (real === ours) return found
  for (const path of new Set([...real.keys(), ...ours.keys()])) {
    const [a, b] = [real.get(path), ours.get(path)]
    if (isSamePart(a, b) || ((!a || !b) && (a ?? b)?.isLayout)) continue
    if (found.some((one) => isBelow(path, one.path))) continue
    if (unknownShapes.some((shape) => isBelow(path, shape || 'body'))) continue
    const isNotation = isSameValue(a?.value, b?.value)
    const isGenerated = a?.isGenerated === true && b !== undefined && !isNotation
    found.push({ path, real: a?.value, ours: b?.value, isGenerated, isNotation })
  }
  return found
}

/** Whether a part belongs to a list or an object, or to a response of another status or type. */
export function isBelow(path: string, container: string): boolean {
  if (container === httpStatus || container === mediaType) return true
  if (container === 'body') return ![httpStatus, mediaType, 'body', '[]'].includes(path)
  const start = container.replace(/\[\]$/, '')
  return path !== `${start}[]` && (path.startsWith(`${container}.`) || path.startsWith(`${start}[`))
}

function isSamePart(a: Part | undefined, b: Part | undefined): boolean {
  if (a?.value === b?.value) return true
  if (typeof a?.value === 'number' && typeof b?.value === 'number') return Math.abs(a.value - b.value) < 1e-9
  return a?.isTime === true && b !== undefined && isSameTime(a.value, b.value)
}

/** Whether a value stands for "none", however a service writes that. */
export function isUnset(value: unknown): boolean {
  return [undefined, null, '', '0000-00-00'].includes(value as never)
}

/** Whether a value is a number, or a string of digits. */
export function isNumeric(value: unknown): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(String(value))
}

/** Whether two values are the same, written in different ways. Two texts are different values, even if both are digits. */
function isSameValue(a: unknown, b: unknown): boolean {
  if (isNumeric(a) && isNumeric(b)) return typeof a !== typeof b && Number(a) === Number(b)
  return isUnset(a) && isUnset(b)
}

/** Times are only known to the second, so equal times may differ by one second. */
function isSameTime(a: unknown, b: unknown): boolean {
  return Math.abs(parseTime(a, 'UTC') - parseTime(b, 'UTC')) <= 1000
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

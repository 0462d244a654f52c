import { asObject, type ContractOperation, type Schema } from '../contract/Contract.ts'
import { isIPv4 } from 'node:net'
import { instantIn, itemKeys } from '../service/calibration/observe.ts'
import { compareValues } from '../lib/compareValues.ts'
import { isObject } from '../world/mergePatch.ts'
import { type Body, bodyOf, type CheckedResponse } from './checkResponse.ts'
import type { Exchange, RecordedResponse } from './Exchange.ts'
import { allParts, caseOf, errorText, isMarked, kindOf, schemasAt } from './schemas.ts'

type Scalar = string | number | boolean | null

/** A part that differs between two responses. */
export interface Difference {
  /** `(status)`, `case`, `[service_id=5001].price`… */
  path: string
  /** Undefined if the response doesn't have it */
  real: Scalar | undefined
  ours: Scalar | undefined
  /** Whether the service generates it (`x-generated`) */
  generated: boolean
}

/** The path of the HTTP status. It differs from all fields, because some records have a `status`. */
export const httpStatus = '(status)'

/** Compares two responses. @param checked the comparable parts of the real one; all parts if missing */
export function compare(
  { operation, path }: Exchange,
  ours: RecordedResponse,
  real: RecordedResponse,
  checked?: CheckedResponse,
): Difference[] {
  const { status } = real
  if (ours.status !== status) return [differ(httpStatus, status, ours.status)]
  if (status >= 400) return errorDifferences(operation, ours, real)
  const [theirs, mine] = [checked ? checked.body : bodyOf(operation, real), bodyOf(operation, ours)]
  if (!theirs) return []
  const isDeclared =
    real.type !== undefined && Object.hasOwn(operation.responses[status]?.content ?? {}, real.type)
  if (isDeclared && ours.type !== undefined && real.type !== ours.type)
    return [differ('content type', real.type, ours.type)]
  if (theirs.kind !== mine.kind) return [differ('body', theirs.kind, mine.kind)]
  const found = [...partDifferences(theirs.value, mine.value, theirs.schemas, '')]
  const by = path[String(operation.schema['x-ordered-by'])]
  const [a, b] = [orderOf(mine, by), orderOf(theirs, by)]
  if (b !== undefined && a !== b) found.push(differ('order', b, a))
  // In an undocumented shape, only the parts of both responses are compared.
  return checked?.isFree ? found.filter((one) => one.real !== undefined && one.ours !== undefined) : found
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

function* partDifferences(
  real: unknown,
  ours: unknown,
  schemas: readonly Schema[],
  path: string,
): Generator<Difference> {
  if (isEqual(schemas, real, ours)) return
  const [a, b] = [asList(real), asList(ours)]
  if (a && b && ![...a, ...b].every(isObject))
    yield* listDifferences(a, b, schemasAt(schemas, 0), `${path}[]`)
  else if (a && b)
    yield* fieldDifferences(
      keyed(a),
      keyed(b),
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
  else yield differ(path || 'body', real, ours, isMarked(schemas, 'x-generated'))
}

type Fields = Readonly<Record<string, unknown>>

function* fieldDifferences(
  real: Fields,
  ours: Fields,
  schemasOf: (name: string) => readonly Schema[],
  at: (name: string) => string,
): Generator<Difference> {
  for (const name of new Set([...Object.keys(real), ...Object.keys(ours)])) {
    const [has, hasOurs] = [Object.hasOwn(real, name), Object.hasOwn(ours, name)]
    if (has && real[name] === undefined) continue // it violates the contract
    if (has && hasOurs) yield* partDifferences(real[name], ours[name], schemasOf(name), at(name))
    else yield differ(at(name), real[name], ours[name])
  }
}

function asList(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

/** The items of a list by their identifying fields. */
function keyed(list: readonly unknown[]): Fields {
  return Object.fromEntries(
    list.map((item, i) => {
      const key = itemKeys.find((names) => names.every((name) => asObject(item)[name] !== undefined))
      return [key?.map((name) => `${name}=${String(asObject(item)[name])}`).join(',') ?? String(i), item]
    }),
  )
}

/** Compares lists of texts, ignoring their order. Of generated lists, only the layout is compared. */
function* listDifferences(
  real: readonly unknown[],
  ours: readonly unknown[],
  schemas: readonly Schema[],
  path: string,
): Generator<Difference> {
  const [theirs, mine] = [real, ours].map((list) => list.filter((item) => item !== undefined)) as [
    unknown[],
    unknown[],
  ]
  const [a, b] = [theirs, mine].map(([first]) => (first === undefined ? undefined : kindOf(first)))
  if (a && b && a !== b) return yield differ(path, a, b)
  const generated = isMarked(schemas, 'x-generated')
  const [layout, own] = [theirs, mine].map(layoutOf)
  if (generated && layout && own && layout !== own) yield differ(`${path} layout`, layout, own)
  const [all, others] = [theirs, mine].map((list) => list.map(String).toSorted().join('\n'))
  if (all !== others && theirs.length === real.length) yield differ(`${path} values`, all, others, generated)
}

/** Whether the entries of a list are plain addresses; undefined if it is empty. */
function layoutOf(entries: readonly unknown[]): string | undefined {
  const entry = entries.map(String).find((one) => /^(?:\d{1,3}\.){3}\d/.test(one))
  return entry === undefined ? undefined : isIPv4(entry) ? 'addresses' : 'more'
}

function differ(path: string, real: unknown, ours: unknown, generated = false): Difference {
  const isBoth = real !== undefined && ours !== undefined
  return { path, real: shown(real), ours: shown(ours), generated: generated && isBoth }
}

function shown(value: unknown): Scalar | undefined {
  return typeof value === 'object' ? kindOf(value) : (value as Scalar | undefined)
}

function isEqual(schemas: readonly Schema[], a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) < 1e-9
  const isTime = ({ pattern }: Schema): boolean => String(pattern).endsWith(String.raw`\d{2}:\d{2}:\d{2}$`)
  return typeof a === 'string' && typeof b === 'string' && allParts(schemas).some(isTime) && isSameTime(a, b)
}

/** Clocks are only known to the second. */
function isSameTime(a: unknown, b: unknown): boolean {
  return a === b || Math.abs(instantIn(a, 'UTC') - instantIn(b, 'UTC')) <= 1000
}

/**
 * The sort order of a list by a field; undefined if all its values are equal, the items lack the field, or the order depends
 * on the collation of texts, which the documentation doesn't specify.
 */
function orderOf({ value: list }: Body, field = ''): string | undefined {
  const values = Array.isArray(list) ? list.map((item) => asObject(item)[field]) : []
  if (values.some((one) => typeof one !== 'number' && typeof one !== 'string')) return undefined
  const areNumbers = values.every((one) => /^-?\d+(?:\.\d+)?$/.test(String(one)))
  const compared = areNumbers ? values.map(Number) : values
  const orders = [compareValues, alphabetically].flatMap((comparing) => {
    const signs = compared.slice(1).map((one, i) => comparing(compared[i] as never, one as never))
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

import type { ContractOperation, Schema } from '../contract/Contract.ts'
import { redacted } from '../journal/redaction/Redactor.ts'
import { compareValues } from '../operations/listProductsOrderedBy.ts'
import { isObject } from '../world/mergePatch.ts'
import { parseDateTime } from '../world/time.ts'
import type { Answer, Exchange } from './Exchange.ts'
import {
  branchOf,
  caseOf,
  errorText,
  isNumber,
  isNumeric,
  kindOf,
  layoutOf,
  linesOf,
  mismatch,
} from './schemas.ts'
import { isName } from './StandIns.ts'

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

export interface Comparison {
  differences: Difference[]
  /** How the real response breaks the contract: what does isn't compared. */
  issues: string[]
  /** Its shape differs from ours where the documentation shows none (`x-undocumented`): that is no issue. */
  isFree: boolean
}

/**
 * Compares two responses part by part, as the operation's schema has them. Items of lists go by their keys, so that order
 * doesn't matter. A response compared with itself shows its issues.
 */
export function compare({ operation, path }: Exchange, ours: Answer, real: Answer): Comparison {
  const found = new Finder()
  if (ours.status !== real.status) found.differ(httpStatus, real.status, ours.status)
  else if (real.status >= 400) compareErrors(operation, ours, real, found)
  else compareBodies(operation, path, ours, real, found)
  const { differences, issues, isFree } = found
  // Of a shape that isn't documented, only what both have is compared.
  const shared = differences.filter((one) => one.real !== undefined && one.ours !== undefined)
  return { differences: isFree ? shared : differences, issues, isFree }
}

function compareErrors(operation: ContractOperation, ours: Answer, real: Answer, found: Finder): void {
  const [a, b] = [ours, real].map(({ status, body, value }) => caseOf(operation, status, body, value))
  if (!b) {
    if (operation.responses[real.status]) found.issues.push(`the text is not among those of a ${real.status}`)
  } else if (a?.name !== b.name) found.differ('case', b.name, a?.name ?? errorText(ours.body, ours.value))
  // A text that is variable from end to end comes from upstream.
  else if (!b.isFree)
    for (const [name, text] of Object.entries(b.filled))
      if (!isSameTime(a.filled[name], text)) found.differ(`case.${name}`, text, a.filled[name])
}

function compareBodies(
  operation: ContractOperation,
  path: Readonly<Record<string, string>>,
  ours: Answer,
  real: Answer,
  found: Finder,
): void {
  const { content = {}, mayBeEmpty = true } = operation.responses[real.status] ?? {}
  const json = content['application/json']
  const text = real.type?.startsWith('text/') ? content[real.type] : undefined
  const [kind, mine] = [bodyKind(real), bodyKind(ours)]
  if (kind === 'none' ? !mayBeEmpty && !text : kind === 'text' && !text)
    found.isFree = kind === 'text' && isUndocumented(json)
  else if (kind !== mine) found.differ('body', kind, mine)
  else if (kind === 'text') {
    const [a, b] = [ours, real].map(({ body }) => linesOf(body).join('\n')) as [string, string]
    if (a !== b) found.differ('text', b, a, text?.['x-generated'] === true)
    found.layouts('layout', linesOf(ours.body), linesOf(real.body))
  } else if (kind === 'json') {
    found.values(json ?? Object.values(content)[0] ?? {}, ours.value, real.value, '', false)
    const by = operation.schema['x-ordered-by']
    const [a, b] = [ours, real].map(({ value }) => orderOf(value, path[String(by)] ?? ''))
    if (a !== b && b !== undefined) found.differ('order', b, a)
  }
}

function bodyKind({ body, type, value }: Answer): 'none' | 'text' | 'json' {
  if (body === '') return 'none'
  return value === undefined || type?.startsWith('text/') ? 'text' : 'json'
}

/** Whether a schema, or one of its alternatives, isn't in the documentation. */
function isUndocumented(schema: Schema | undefined): boolean {
  const branches = (schema?.['oneOf'] ?? []) as Schema[]
  return schema?.['x-undocumented'] === true || branches.some(isUndocumented)
}

/** Fields that identify an item of a list, by precedence */
const keys = [['service_id'], ['productId'], ['id'], ['server', 'session'], ['date'], ['code'], ['ip']]

/** The fields that are the id of a record, and not in it. */
export const idFields: ReadonlySet<string> = new Set(['service_id', 'productId', 'id'])

class Finder implements Comparison {
  readonly differences: Difference[] = []
  readonly issues: string[] = []
  isFree = false

  differ(path: string, real: Scalar | undefined, ours: Scalar | undefined, generated = false): void {
    const isBoth = real !== undefined && ours !== undefined
    this.differences.push({ path, real, ours, generated: generated && isBoth })
  }

  /** @param isOurs inside a shape that isn't documented */
  values(schema: Schema, ours: unknown, real: unknown, path: string, isOurs: boolean): void {
    const own = branchOf(schema, real)
    const isFree = isOurs || schema['x-undocumented'] === true || own['x-undocumented'] === true
    const at = path || 'body'
    const wrong = mismatch(own, real)
    if (wrong !== undefined) {
      this.#report(isFree, `${path || 'the body'} ${wrong}`)
      // A quoted number is still compared as a number.
      if (isNumber(own) && isNumeric(real) && !isEqual(own, ours, Number(real)))
        this.differ(at, Number(real), shown(ours), own['x-generated'] === true)
    } else if (Array.isArray(real)) {
      const isList = Array.isArray(ours)
      if (!isList) this.differ(at, 'array', shown(ours))
      this.#items((own['items'] ?? {}) as Schema, isList ? ours : real, real, path, isFree)
    } else if (isObject(real)) {
      if (!isObject(ours)) this.differ(at, 'object', shown(ours))
      this.#fields(own, isObject(ours) ? ours : real, real, path, isFree)
    } else if (!isEqual(own, ours, real))
      this.differ(at, shown(real), shown(ours), own['x-generated'] === true)
  }

  #fields(
    schema: Schema,
    ours: Record<string, unknown>,
    real: Record<string, unknown>,
    path: string,
    isFree: boolean,
  ): void {
    const properties = (schema['properties'] ?? {}) as Record<string, Schema>
    const required = (schema['required'] ?? []) as string[]
    for (const name of new Set([...Object.keys(real), ...Object.keys(ours), ...required])) {
      const at = path === '' ? name : `${path}.${name}`
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (!Object.hasOwn(real, name)) {
        if (required.includes(name)) this.#report(isFree, `${at} is missing`)
        else if (property) this.differ(at, undefined, shown(ours[name]))
      } else if (property) this.#has(property, Object.hasOwn(ours, name), ours[name], real[name], at, isFree)
      else if (schema['additionalProperties'] === false)
        this.#report(isFree, `${isName(name) ? at : `${path}${redacted}`} is not in the contract`)
    }
  }

  #items(
    schema: Schema,
    ours: readonly unknown[],
    real: readonly unknown[],
    path: string,
    isFree: boolean,
  ): void {
    const [a, b] = [ours, real].map(([first]) => (first === undefined ? undefined : kindOf(first)))
    if (a !== b && (!areRecords(ours) || !areRecords(real))) {
      this.differ(`${path}[]`, b, a)
      return this.#items(schema, real, real, path, isFree) // issues are still to be found
    }
    if (areRecords(real) && areRecords(ours)) {
      const mine = new Map(ours.map((item, i) => [nameOf(item, i), item]))
      const theirs = new Map(real.map((item, i) => [nameOf(item, i), item]))
      for (const [name, item] of theirs)
        this.#has(schema, mine.has(name), mine.get(name), item, `${path}[${name}]`, isFree)
      for (const [name, item] of mine)
        if (!theirs.has(name)) this.differ(`${path}[${name}]`, undefined, shown(item))
      return
    }
    const own = branchOf(schema, real[0])
    const wrong = real.map((item) => mismatch(own, item)).find((one) => one !== undefined)
    if (wrong !== undefined)
      this.#report(isFree || isUndocumented(schema), `an item of ${path || 'the list'} ${wrong}`)
    const [mine, theirs] = [ours, real].map((items) => items.map(String).toSorted().join(', '))
    if (mine !== theirs) this.differ(`${path}[] values`, theirs, mine, own['x-generated'] === true)
    this.layouts(`${path}[] layout`, ours, real)
  }

  layouts(path: string, ours: readonly unknown[], real: readonly unknown[]): void {
    const [a, b] = [layoutOf(ours), layoutOf(real)]
    if (a !== undefined && b !== undefined && a !== b) this.differ(path, b, a)
  }

  /** What the real response has, and ours may not. */
  #has(schema: Schema, isOurs: boolean, ours: unknown, real: unknown, path: string, isFree: boolean): void {
    if (isOurs) return this.values(schema, ours, real, path, isFree)
    const issues = this.issues.length
    this.values(schema, real, real, path, isFree)
    if (this.issues.length === issues || isObject(real)) this.differ(path, shown(real), undefined)
  }

  #report(isFree: boolean, message: string): void {
    if (isFree) this.isFree = true
    else this.issues.push(message)
  }
}

function areRecords(items: readonly unknown[]): boolean {
  return items.every((item) => typeof item === 'object')
}

function nameOf(item: unknown, index: number): string {
  if (!isObject(item)) return String(index)
  const key = keys.find((fields) => fields.every((field) => Object.hasOwn(item, field)))
  return key ? key.map((field) => `${field}=${String(item[field])}`).join(',') : String(index)
}

function shown(value: unknown): Scalar | undefined {
  return typeof value === 'object' ? kindOf(value) : (value as Scalar | undefined)
}

function isEqual({ pattern }: Schema, a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) < 1e-9
  return pattern === timePattern && isSameTime(a, b)
}

const timePattern = String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$`

/** Clocks are only known to the second. */
function isSameTime(a: unknown, b: unknown): boolean {
  return a === b || Math.abs(parseDateTime(String(a)) - parseDateTime(String(b))) <= 1000
}

/** How a list is sorted by a field; undefined if all its values are equal or the items don't have it. */
function orderOf(list: unknown, field: string): string | undefined {
  if (!Array.isArray(list)) return undefined
  const values = list.map((item) => (isObject(item) ? item[field] : undefined)) as (string | number)[]
  if (values.some((one) => typeof one !== 'number' && typeof one !== 'string')) return undefined
  const sorts = sortings.flatMap((order) => {
    const signs = values.slice(1).map((one, i) => Math.sign(order(values[i] as never, one as never)))
    if (signs.every((sign) => sign === 0)) return ['any']
    if (signs.every((sign) => sign <= 0)) return ['ascending']
    return signs.every((sign) => sign >= 0) ? ['descending'] : []
  })
  return sorts[0] === 'any' ? undefined : (sorts[0] ?? 'unsorted')
}

/** The documentation doesn't say how texts sort: by code point, or alphabetically. */
const sortings: ((a: string | number, b: string | number) => number)[] = [
  compareValues,
  (a, b) =>
    typeof a === 'string' ? a.toLowerCase().localeCompare(String(b).toLowerCase(), 'en') : a - Number(b),
]

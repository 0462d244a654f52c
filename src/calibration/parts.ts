import type { ContractOperation, Schema } from '../contract/Contract.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Answer } from './Exchange.ts'

/** One part of an answer, as it is compared: a status, a case, a field of a record. */
export interface Part {
  value: string | number | boolean
  /** The service makes it up itself (`x-generated`). */
  generated: boolean
  /** A date with time: clocks are known to the second only. */
  isTime?: boolean
  /** It breaks the contract; that is told as drift, and not compared. */
  broken?: boolean
}

/** By path: `status`, `case`, `[service_id=5001].status`… */
export type Parts = ReadonlyMap<string, Part>

/** What in a body breaks the contract. */
export interface BodyIssue {
  path: string
  message: string
}

export interface ReadAnswer {
  parts: Parts
  issues: BodyIssue[]
  /** It has another shape than ours where the documentation shows none (`x-undocumented`): that is no drift. */
  isFree: boolean
  /** The case of an error, by its text */
  case: string | undefined
}

/** Takes an answer apart by its operation's schema. Lists are sorted by what names their items: their order is no part. */
export function readAnswer(
  operation: ContractOperation,
  path: Readonly<Record<string, string>>,
  { status, type, body, value }: Answer,
): ReadAnswer {
  const parts = new Map<string, Part>([['status', { value: status, generated: false }]])
  const issues: BodyIssue[] = []
  if (status >= 400) {
    const known = caseOf(operation, status, body, value)
    parts.set('case', { value: known?.name ?? textOf(body, value), generated: false, broken: !known })
    // A text that is free from end to end is the upstream's own.
    for (const [name, filled] of Object.entries(known?.filled ?? {}))
      if (!known?.isFree) parts.set(name, { value: filled, generated: false })
    if (!known && operation.responses[status])
      issues.push({ path: 'error', message: `the text is none of those that a ${status} has` })
    return { parts, issues, isFree: false, case: known?.name }
  }
  const content = operation.responses[status]?.content
  const into: Reading = { parts, issues, isFree: false }
  if (body === '') parts.set('body', { value: 'none', generated: false })
  else if (value === undefined || isText(type)) {
    const schema = content?.[type ?? '']
    into.isFree = schema === undefined && isUndocumented(content?.['application/json'])
    parts.set('body', { value: 'text', generated: false, ...(into.isFree && { broken: true }) })
    parts.set('text', {
      value: linesOf(body).join('\n'),
      generated: schema?.['x-generated'] === true,
      broken: schema === undefined,
    })
  } else {
    const schema = content?.['application/json'] ?? Object.values(content ?? {})[0]
    read(schema ?? {}, value, '', into, false)
    const by = operation.schema['x-ordered-by']
    if (typeof by === 'string') addOrder(parts, path[by] ?? '', value)
  }
  return { parts, issues, isFree: into.isFree, case: undefined }
}

/** Whether a schema, or one of its alternatives, is of our making. */
function isUndocumented(schema: Schema | undefined): boolean {
  const branches = (schema?.['oneOf'] ?? []) as Schema[]
  return schema?.['x-undocumented'] === true || branches.some(isUndocumented)
}

export function linesOf(text: string): string[] {
  return text.replace(/\s+$/, '').split(/\r?\n/)
}

function isText(type: string | undefined): boolean {
  return type !== undefined && type.startsWith('text/')
}

/** The text of an error, whether it came as text or as `{"error": text}`. */
function textOf(body: string, value: unknown): string {
  const error = isObject(value) ? value['error'] : value
  return typeof error === 'string' ? error : body
}

/** Which of the operation's cases a text is, to the letter, with what stands in its variable parts. */
function caseOf(
  operation: ContractOperation,
  status: number,
  body: string,
  value: unknown,
): { name: string; filled: Record<string, string>; isFree: boolean } | undefined {
  const text = textOf(body, value)
  const cases = operation.cases
    .filter((one) => one.status === status)
    .map((one) => ({ ...one, text: textOf(typeof one.value === 'string' ? one.value : '', one.value) }))
  const exact = cases.find((one) => one.text === text && Object.keys(one.fill).length === 0)
  if (exact) return { name: exact.name, filled: {}, isFree: false }
  for (const one of cases) {
    const names = Object.keys(one.fill)
    if (names.length === 0) continue
    let pattern = one.text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
    for (const [name, sample] of Object.entries(one.fill))
      pattern = pattern.replace(sample.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`), `(?<${name}>.+)`)
    const match = new RegExp(`^${pattern}$`, 's').exec(text)
    if (match)
      return {
        name: one.name,
        filled: { ...match.groups },
        isFree: names.some((name) => one.fill[name] === one.text),
      }
  }
  return undefined
}

interface Reading {
  parts: Map<string, Part>
  issues: BodyIssue[]
  isFree: boolean
}

/** The fields that name an item of a list, the first that it has. */
const keys = [['service_id'], ['productId'], ['id'], ['server', 'session'], ['date'], ['code'], ['ip']]

/** @param isOurs the shape is of our making: what is otherwise is neither drift nor compared */
function read(schema: Schema, value: unknown, path: string, into: Reading, isBelowOurs: boolean): void {
  const { parts } = into
  const own = branchOf(schema, value)
  const isOurs = isBelowOurs || schema['x-undocumented'] === true || own['x-undocumented'] === true
  const kind = kindOf(value)
  const expected = own['type']
  const at = path === '' ? 'body' : path
  const breaks = (message: string): void => {
    tell(into, isOurs, path, `${path === '' ? 'the body' : path} ${message}`)
    const shown = typeof value === 'object' ? kind : (value as Part['value'])
    parts.set(at, { value: shown, generated: false, broken: true })
  }
  if (typeof expected === 'string' && !fitsType(expected, value)) {
    breaks(`must be ${expected}, and is ${kind}`)
    // a number in quotes is compared as a number all the same
    if ((expected === 'number' || expected === 'integer') && isNumeric(value))
      parts.set(at, { value: Number(value), generated: own['x-generated'] === true })
    return
  }
  if (Array.isArray(value)) {
    parts.set(at, { value: 'array', generated: false })
    readItems((own['items'] ?? {}) as Schema, value, path, into, isOurs)
    return
  }
  if (isObject(value)) {
    parts.set(at, { value: 'object', generated: false })
    readFields(own, value, path, into, isOurs)
    return
  }
  const wrong = wrongValue(own, value)
  if (wrong !== undefined) breaks(wrong)
  else
    parts.set(at, {
      value: value as Part['value'],
      generated: own['x-generated'] === true,
      ...(isTimePattern(own['pattern']) && { isTime: true }),
    })
}

function tell(into: Reading, isOurs: boolean, path: string, message: string): void {
  if (isOurs) into.isFree = true
  else into.issues.push({ path, message })
}

function readFields(
  schema: Schema,
  value: Record<string, unknown>,
  path: string,
  into: Reading,
  isOurs: boolean,
): void {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`)
  for (const [name, item] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (known) read(known, item, below(name), into, isOurs)
    else if (schema['additionalProperties'] === false) {
      tell(into, isOurs, below(name), `${below(name)} is a field that the contract does not have`)
      into.parts.set(below(name), { value: kindOf(item), generated: false, broken: true })
    }
  }
  for (const name of (schema['required'] ?? []) as string[])
    if (!Object.hasOwn(value, name)) {
      tell(into, isOurs, below(name), `${below(name)} is missing`)
      into.parts.set(below(name), { value: 'missing', generated: false, broken: true })
    }
}

function readItems(
  schema: Schema,
  items: readonly unknown[],
  path: string,
  into: Reading,
  isBelowOurs: boolean,
): void {
  const scalars = items.filter((item) => typeof item !== 'object')
  if (scalars.length > 0 && scalars.length === items.length) {
    const own = branchOf(schema, scalars[0])
    const isOurs = isBelowOurs || schema['x-undocumented'] === true || own['x-undocumented'] === true
    for (const item of scalars) {
      const wrong = fitsType(typeOf(own) ?? kindOf(item), item)
        ? wrongValue(own, item)
        : `must be ${String(own['type'])}, and is ${kindOf(item)}`
      if (wrong !== undefined) {
        tell(into, isOurs, path, `an item of ${path === '' ? 'the list' : path} ${wrong}`)
        break
      }
    }
    into.parts.set(`${path}[]`, { value: kindOf(scalars[0]), generated: false })
    into.parts.set(`${path}[] values`, {
      value: scalars.map(String).toSorted().join(', '),
      generated: own['x-generated'] === true,
    })
    return
  }
  if (items.length > 0) into.parts.set(`${path}[]`, { value: kindOf(items[0]), generated: false })
  for (const [i, item] of items.entries())
    read(schema, item, `${path}[${nameOf(item, i)}]`, into, isBelowOurs)
}

function nameOf(item: unknown, index: number): string {
  if (!isObject(item)) return String(index)
  const key = keys.find((fields) => fields.every((field) => Object.hasOwn(item, field)))
  return key ? key.map((field) => `${field}=${String(item[field])}`).join(',') : String(index)
}

/** Of alternatives, the one for this kind of value. */
export function branchOf(schema: Schema, value: unknown): Schema {
  const all = schema['allOf']
  if (Array.isArray(all)) {
    const { allOf: _, ...rest } = schema
    return branchOf(Object.assign({}, ...(all as Schema[]), rest) as Schema, value)
  }
  const branches = schema['oneOf'] ?? schema['anyOf']
  if (!Array.isArray(branches)) return schema
  const resolved = (branches as Schema[]).map((branch) => branchOf(branch, value))
  const fitting = resolved.filter((branch) => fitsType(String(branch['type']), value))
  return (
    fitting.find((branch) => !(Array.isArray(value) && value.length > 0 && branch['maxItems'] === 0)) ??
    fitting[0] ??
    resolved[0] ??
    {}
  )
}

function typeOf({ type }: Schema): string | undefined {
  return typeof type === 'string' ? type : undefined
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function fitsType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  return type === kindOf(value)
}

function isNumeric(value: unknown): value is string {
  return typeof value === 'string' && /^-?\d{1,12}(?:\.\d+)?$/.test(value)
}

function isTimePattern(pattern: unknown): boolean {
  return typeof pattern === 'string' && pattern === String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$`
}

const patterns = new Map<string, RegExp>()

function wrongValue(schema: Schema, value: unknown): string | undefined {
  const { enum: allowed, pattern, format, minimum, maxItems } = schema as Record<string, unknown>
  if (Array.isArray(allowed) && !allowed.includes(value)) return `must be one of: ${allowed.join(', ')}`
  if (typeof pattern === 'string' && typeof value === 'string') {
    let compiled = patterns.get(pattern)
    if (!compiled) patterns.set(pattern, (compiled = new RegExp(pattern, 'u')))
    if (!compiled.test(value)) return `must match ${pattern}`
  }
  if (format === 'date' && typeof value === 'string' && !isDate(value)) return 'must be a date, YYYY-MM-DD'
  if (typeof minimum === 'number' && typeof value === 'number' && value < minimum)
    return `must be ${minimum} or more`
  if (typeof maxItems === 'number' && Array.isArray(value) && value.length > maxItems)
    return `must have at most ${maxItems} items`
  return undefined
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text
}

/** How a list runs by the field that it is sorted by; nothing where all values are the same, or the field is none of its. */
function addOrder(parts: Map<string, Part>, field: string, value: unknown): void {
  if (!Array.isArray(value)) return
  const values = value.map((item) => (isObject(item) ? item[field] : undefined))
  if (values.some((one) => typeof one !== 'number' && typeof one !== 'string')) return
  const sorts = sortings.flatMap((order) => {
    const signs = values.slice(1).map((one, i) => Math.sign(order(values[i] as never, one as never)))
    if (signs.every((sign) => sign === 0)) return ['any']
    return [
      ...(signs.every((sign) => sign <= 0) ? ['ascending'] : []),
      ...(signs.every((sign) => sign >= 0) ? ['descending'] : []),
    ]
  })
  if (sorts[0] === 'any') return
  parts.set('order', { value: sorts[0] ?? 'unsorted', generated: false })
}

/** How texts compare, the document does not say: by their code points, or as people sort them. */
const sortings: ((a: string | number, b: string | number) => number)[] = [
  (a, b) => (a < b ? -1 : a > b ? 1 : 0),
  (a, b) =>
    typeof a === 'string' ? a.toLowerCase().localeCompare(String(b).toLowerCase(), 'en') : a - Number(b),
]

/** Two answers differ here. */
export interface Difference {
  path: string
  real: Part['value'] | undefined
  ours: Part['value'] | undefined
  generated: boolean
}

const compared = new WeakMap<Parts, WeakMap<Parts, readonly Difference[]>>()

/** The smallest parts in which two answers differ. Replays compare the same answers over and over: it is done once. */
export function compare(ours: Parts, real: Parts): readonly Difference[] {
  if (ours === real) return []
  let known = compared.get(ours)
  if (!known) compared.set(ours, (known = new WeakMap()))
  let found = known.get(real)
  if (!found) known.set(real, (found = differencesOf(ours, real)))
  return found
}

function differencesOf(ours: Parts, real: Parts): Difference[] {
  const found: Difference[] = []
  const status = difference('status', ours, real)
  if (status) return [status]
  const paths = new Set([...ours.keys(), ...real.keys()])
  for (const path of paths) {
    const differs = difference(path, ours, real)
    if (differs) found.push(differs)
  }
  // Of a record that is not there at all, its fields need not be told.
  const gone = found
    .filter(({ path, real: a, ours: b }) => isKind(ours, real, path) && a !== b)
    .map(({ path }) => path)
  return gone.length === 0
    ? found
    : found.filter(({ path }) => !gone.some((above) => above !== path && isBelow(path, above)))
}

const kinds = new Set<unknown>(['array', 'object', 'none', 'text', 'null', 'string', 'number', 'boolean'])

/** Whether what stands at a path is a record or a list, rather than a value. */
function isKind(ours: Parts, real: Parts, path: string): boolean {
  const value = ours.get(path)?.value ?? real.get(path)?.value
  return (path === 'body' || path.endsWith(']')) && kinds.has(value)
}

function isBelow(path: string, above: string): boolean {
  if (above === 'body') return true
  const base = above.endsWith('[]') ? above.slice(0, -2) : above
  return path.startsWith(base) && path.length > base.length && /^[.[ ]/.test(path.slice(base.length))
}

function difference(path: string, ours: Parts, real: Parts): Difference | undefined {
  const [a, b] = [ours.get(path), real.get(path)]
  if (a?.broken || b?.broken || isUnderBroken(path, real)) return undefined
  if (isEqual(a, b)) return undefined
  return {
    path,
    real: b?.value,
    ours: a?.value,
    generated: (a?.generated ?? true) && (b?.generated ?? true) && a !== undefined && b !== undefined,
  }
}

/** What stands in a part that breaks the contract is not compared either. */
function isUnderBroken(path: string, real: Parts): boolean {
  for (let i = path.length - 1; i > 0; i--)
    if (/[.[ ]/.test(path[i] as string) && real.get(path.slice(0, i))?.broken) return true
  return real.get('body')?.broken === true && path !== 'status'
}

function isEqual(a: Part | undefined, b: Part | undefined): boolean {
  if (!a || !b) return a === b
  if (a.value === b.value) return true
  if (typeof a.value === 'number' && typeof b.value === 'number') return Math.abs(a.value - b.value) < 1e-9
  return (a.isTime ?? false) && (b.isTime ?? false) && Math.abs(secondsOf(a.value) - secondsOf(b.value)) <= 1
}

function secondsOf(text: unknown): number {
  return Date.parse(`${String(text).replace(' ', 'T')}Z`) / 1000
}

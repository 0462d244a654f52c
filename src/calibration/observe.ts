import { asArray, asObject, type ContractOperation, type Schema } from '../contract/Contract.ts'
import { isIpv4 } from '../service/addresses.ts'
import { isKind } from '../world/change.ts'
import { fields } from '../service/records.ts'
import { isObject } from '../world/mergePatch.ts'
import { instantOf, parseDateTime } from '../world/time.ts'
import type { NextIds } from '../world/World.ts'
import { bodyOf, type Part } from './compare.ts'
import type { Exchange, RecordedResponse } from './Exchange.ts'
import { ipLineOf } from './ipLine.ts'
import { anyAddress } from './Placeholders.ts'
import { linesOf } from './schemas.ts'

/** What an exchange tells of the account, as the contract says (`x-shows`, `x-sets`, `x-names`, `x-next`). */
export interface Observation {
  exchange: Exchange
  /** The record that the path names, if that is an id: `services/5001` */
  target: string | undefined
  /** Records that the body names */
  named: readonly string[]
  /** How things were before the exchange, or are after it */
  shows: readonly Fact[]
  /** The paths that it has set, each including all below it */
  sets: readonly string[]
  /** What it lists in full (`services`, `services/5001/sticky/sessions`): what isn't in the list doesn't exist. */
  lists: string | undefined
  /** The ids that the service gave out, by kind */
  ids: Partial<NextIds> | undefined
}

/** The value at a path of the world: `credit`, `services/5001` (whether it exists), `services/5001/usage/limit`. */
export interface Fact {
  path: string
  /** undefined: the record has no such field */
  value: unknown
  /** The service makes such values up */
  generated?: boolean
}

type Fields = Readonly<Record<string, unknown>>

export function observe(exchange: Exchange): Observation {
  const { operation, path, request } = exchange
  const parameters = asArray(operation.schema['parameters']).map(asObject)
  const body = asObject(request.value)
  const targets = parameters.flatMap((one) => recordNamed(one, path[String(one['name'])]))
  const named = Object.entries(bodyProperties(operation)).flatMap(([name, one]) =>
    recordNamed(one, body[name]),
  )
  const sets = setBy(exchange)
  const shows = new Map<string, Fact>()
  for (const fact of [...shownBy(exchange, targets[0]), ...implied(exchange, sets, [...targets, ...named])])
    for (const one of withRecord(fact)) if (!shows.has(one.path)) shows.set(one.path, one)
  return {
    exchange,
    target: targets[0],
    named,
    shows: [...shows.values()],
    sets,
    lists: listedBy(exchange),
    ids: idsGiven(exchange),
  }
}

function recordNamed({ 'x-names': kind }: Schema, id: unknown): string[] {
  return isKind(String(kind)) && isId(id) ? [`${String(kind)}/${String(id)}`] : []
}

function isId(value: unknown): boolean {
  return /^[1-9][0-9]{0,9}$/.test(String(value))
}

/** `services/5001/status` → `services/5001` */
export function recordOf(path: string): string {
  return path.split('/', 2).join('/')
}

/**
 * A path with its variables filled in; undefined if one is missing, or isn't an id where one is needed, or the world has no
 * such thing.
 */
function filled(template: string, values: Fields): string | undefined {
  if (template !== 'credit' && !isKind(template.split('/', 1)[0] ?? '')) return undefined
  const parts: string[] = []
  for (const [i, part] of template.split('/').entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    const value = name === undefined ? part : values[name]
    if (value === undefined || (name !== undefined && i === 1 && !isId(value))) return undefined
    parts.push(name === undefined ? part : encodeURIComponent(value as string))
  }
  return parts.join('/')
}

function listedBy({ operation, path, response }: Exchange): string | undefined {
  if (response.status !== 200 || !Array.isArray(response.value)) return undefined
  const parts = String(operation.schema['x-shows']).split('/')
  const first = parts.findIndex((part) => part.startsWith('{') && !(part.slice(1, -1) in path))
  return first < 0 ? undefined : filled(parts.slice(0, first).join('/'), path)
}

function setBy({ operation, path, request, response }: Exchange): string[] {
  const { status, body, value } = response
  const didNothing = body === '' || (Array.isArray(value) && value.length === 0)
  if (status !== 200 || didNothing) return []
  const values = { ...path, ...asObject(value) }
  return setsOf(operation, asObject(request.value)).flatMap((template) => filled(template, values) ?? [])
}

function setsOf(operation: ContractOperation, body: Fields): string[] {
  const ofBody = Object.entries(bodyProperties(operation)).flatMap(([name, { 'x-sets': sets }]) => {
    const value = body[name]
    if (value === undefined) return []
    return Array.isArray(sets) ? sets : asArray(asObject(sets)[value as string]) // by the value that sets them
  })
  return [...asArray(operation.schema['x-sets']), ...ofBody].map(String)
}

function bodyProperties({ schema }: ContractOperation): Record<string, Schema> {
  const content = asObject(asObject(schema['requestBody'])['content'])
  const body = asObject(asObject(content['application/json'])['schema'])
  return asObject(body['properties']) as Record<string, Schema>
}

function idsGiven({ operation, response }: Exchange): Partial<NextIds> | undefined {
  const { parts = [] } = (response.status === 200 && bodyOf(operation, response).part) || {}
  const ids = [...parts].flatMap(([, { schema, value }]) =>
    schema['x-next'] !== undefined && isId(value) ? [[schema['x-next'], Number(value)]] : [],
  )
  return ids.length > 0 ? Object.fromEntries(ids) : undefined
}

/** What a response says. */
function shownBy({ operation, path, response }: Exchange, target: string | undefined): Fact[] {
  const { status, body, value } = response
  const { 'x-shows': shows } = operation.schema as { 'x-shows'?: string }
  const base = shows === undefined ? undefined : filled(shows, path)
  const isMissing = status === 404 || status === 422 || (Array.isArray(value) && value.length === 0)
  if (base && base === recordOf(base) && isMissing) return [{ path: base, value: false }]
  if (status === 429) return nextUpdate(body, target)
  const { part } = status === 200 ? bodyOf(operation, response) : {}
  if (!part) return []
  const records = Array.isArray(part.value) ? [...part.parts.values()] : [part]
  if (base !== undefined && fieldAt(base)?.form === 'addresses') return addressesIn(response, base, path)
  if (base !== undefined && records.length === 0) return [{ path: base, value: undefined }]
  if (base?.endsWith('/stats')) {
    const days = records.map(({ value: day }) => asObject(day))
    const rates = Object.fromEntries(days.map(({ date, rate }) => [String(date), Number(rate)]))
    return [{ path: base, value: rates }]
  }
  return records.flatMap((record) => fieldsOf(record, shows, path))
}

/** The time of the next possible update that a refusal names: it shows when the last one was. */
function nextUpdate(text: string, target: string | undefined): Fact[] {
  const [named = ''] = /\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/.exec(text) ?? []
  const next = parseDateTime(named, 'UTC')
  return Number.isNaN(next) || !target ? [] : [{ path: `${target}/list_updated_at`, value: next }]
}

/** The addresses of a service, in any layout; of its IP list the login too. */
function addressesIn({ value, body }: RecordedResponse, base: string, { typel }: Exchange['path']): Fact[] {
  const entries = asArray(value ?? linesOf(body)).flatMap(addressIn)
  const shown: Fact[] = [{ path: base, value: entries.map(({ ip }) => ip), generated: true }]
  if (!base.endsWith('/ips') || entries.length === 0) return shown
  const record = recordOf(base)
  // An update makes other addresses, but as many.
  if (!typel?.startsWith('ppr')) shown.push({ path: `${record}/ip_count`, value: entries.length })
  for (const name of ['username', 'password']) {
    const own = entries[0]?.login[name]
    if (own !== undefined) shown.push({ path: `${record}/${name}`, value: own, generated: true })
  }
  return shown
}

function addressIn(entry: unknown): { ip: unknown; login: Fields }[] {
  const texts = isObject(entry) ? Object.values(entry) : (String(entry).match(anyAddress) ?? [])
  const ip = texts.find((one) => isIpv4(String(one)))
  const login = asObject(isObject(entry) ? entry : ipLineOf(String(entry))?.login)
  return ip === undefined ? [] : [{ ip, login }]
}

/** What the fields of a record show. */
function fieldsOf({ value: record, parts, schema }: Part, shows: string | undefined, path: Fields): Fact[] {
  if (!isObject(record)) return []
  const values = { ...record, ...path }
  const base = shows === undefined ? undefined : filled(shows, values)
  const { properties = {}, required = [] } = schema as { properties?: Schema; required?: string[] }
  return Object.entries(properties).flatMap(([name, property]): Fact[] => {
    const { 'x-shows': own } = asObject(property)
    const at = typeof own === 'string' ? filled(own, values) : base && `${base}/${name}`
    const shown = parts.get(name)
    if (at === undefined || shows?.includes(`{${name}}`)) return []
    if (!required.includes(name) && (shown?.value ?? '') === '') return [{ path: at, value: undefined }]
    const value = shown && conversions[name] ? conversions[name](shown.value, record) : shown?.value
    if (!shown || shown.isWrong || value === undefined) return []
    return [{ path: at, value, generated: shown.schema['x-generated'] === true }]
  })
}

/** Fields that the world has in another form */
const conversions: Record<string, (value: unknown, record: Fields) => unknown> = {
  /** Country codes, from codes or from objects that contain one */
  geo(value) {
    const isCode = (one: unknown): boolean => /^[A-Z]{2}$/.test(String(one))
    const codes = asArray(value).map((item) => (isObject(item) ? Object.values(item).find(isCode) : item))
    return codes.every(isCode) ? codes : undefined
  },
  /** When the session began */
  expires_at(value, { ttl }) {
    const since = parseDateTime(String(value), 'UTC') - Number(ttl) * 60_000
    return Number.isNaN(since) ? undefined : instantOf(since)
  },
}

/** A call that changed something shows that what it names exists, in whatever shape it responded. */
function implied({ at }: Exchange, sets: readonly string[], records: readonly string[]): Fact[] {
  if (sets.length === 0) return []
  const sessions = sets.filter((path) => path.split('/').length > 4)
  return [
    ...records.map((path) => ({ path, value: true })),
    ...sessions.map((path) => ({ path: `${path}/expires_at`, value: instantOf(at) })),
  ]
}

/** What shows a field shows that its record exists, and of which type it is if others don't have the field. */
function withRecord(fact: Fact): Fact[] {
  const names = fact.path.split('/')
  const records = [2, 6].filter((n) => names.length > n).map((n) => names.slice(0, n).join('/'))
  const { only } = fieldAt(fact.path) ?? {}
  const isOfType = only !== undefined && fact.value !== undefined && names[0] === 'services'
  return [
    ...records.map((path) => ({ path, value: true })),
    ...(isOfType ? [{ path: `${recordOf(fact.path)}/product_type`, value: only }] : []),
    fact,
  ]
}

/** What the world's fields say of a path. */
function fieldAt(path: string): { form?: string; only?: string } | undefined {
  const [kind = '', , name = ''] = path.split('/')
  return isKind(kind) ? (fields[kind] as Record<string, { form?: string; only?: string }>)[name] : undefined
}

import { asArray, asObject, type ContractOperation, type Schema } from '../contract/Contract.ts'
import { isIpv4 } from '../world/addresses.ts'
import { isObject } from '../world/mergePatch.ts'
import { instantOf, parseDateTime } from '../world/time.ts'
import type { NextIds } from '../world/World.ts'
import type { Fact } from './adopt.ts'
import { isMalformed, type Exchange } from './Exchange.ts'
import { ipLineOf } from './ipLine.ts'
import { anyAddress } from './Placeholders.ts'
import { branchOf, kindOf, linesOf, mismatch, unquoted } from './schemas.ts'

/* What an exchange shows of the account and sets in it, as the contract says (`x-shows`, `x-sets`, `x-names`, `x-next`). */

/** What a response shows of the account. */
export interface Observation extends Fact {
  /** The service makes such values up */
  generated?: boolean
  /** No response has it, but the call couldn't have succeeded otherwise */
  implied?: boolean
  /** It changes by itself, through traffic */
  isVolatile?: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** A path with its variables filled in; undefined if one is missing, or isn't an id where one is needed. */
function filled(template: string, values: Fields): string | undefined {
  const parts: string[] = []
  for (const [i, part] of template.split('/').entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    const value = name === undefined ? part : values[name]
    if (value === undefined || (name !== undefined && i === 1 && !isId(value))) return undefined
    parts.push(name === undefined ? part : encodeURIComponent(value as string))
  }
  return parts.join('/')
}

function isId(value: unknown): boolean {
  return /^[1-9][0-9]{0,9}$/.test(String(value))
}

/** `services/5001/status` → `services/5001` */
export function recordOf(path: string): string {
  return path.split('/', 2).join('/')
}

/** The record that the path of a request names, if that is an id; and those that its body names. */
export function recordsNamed({ operation, path, request }: Exchange): { inPath?: string; inBody: string[] } {
  const parameters = asArray(operation.schema['parameters']).map(asObject)
  const named = parameters.find((one) => one['x-names'] !== undefined)
  const id = path[String(named?.['name'])]
  const body = asObject(request.value)
  const inBody = Object.entries(bodyProperties(operation)).flatMap(([name, { 'x-names': kind }]) =>
    typeof kind === 'string' && isId(body[name]) ? [`${kind}/${String(body[name])}`] : [],
  )
  return { ...(isId(id) && { inPath: `${String(named?.['x-names'])}/${id}` }), inBody }
}

/** What an exchange lists in full (`services`, `services/5001/sticky/sessions`): what isn't in the list doesn't exist. */
export function listedBy({ operation, path, response }: Exchange): string | undefined {
  if (response.status !== 200 || !Array.isArray(response.value)) return undefined
  const shows = String(operation.schema['x-shows'])
  if (shows.endsWith('/sticky')) return `${filled(shows, path)}/sessions`
  const [, kind, variable = ''] = /^(\w+)\/\{(\w+)\}$/.exec(shows) ?? []
  return variable in path ? undefined : kind
}

/** The paths that an exchange has set, each including all below it. */
export function setBy({ operation, path, request, response }: Exchange): string[] {
  const { status, body, value } = response
  const didNothing = body === '' || (Array.isArray(value) && value.length === 0)
  if (status !== 200 || didNothing) return []
  const values = { ...path, ...asObject(value) }
  return setsOf(operation, asObject(request.value)).flatMap((template) => filled(template, values) ?? [])
}

/**
 * What a call may have set whose outcome is unknown. A kind of record stands for new ones in it.
 * @param body undefined if it is unknown
 */
export function maySet(operation: ContractOperation, path: Fields, body: Fields | undefined): string[] {
  return setsOf(operation, body).flatMap((template) => {
    const [kind = '', variable, ...rest] = template.split('/')
    if (variable === undefined) return [kind]
    const record = filled(`${kind}/${variable}`, path)
    if (record === undefined) return rest.length > 0 ? [] : [kind]
    // A session lives as long as the TTL says, so each says something of the other.
    return [[record, ...rest.slice(0, 1)].join('/')]
  })
}

function setsOf(operation: ContractOperation, body: Fields | undefined): string[] {
  const ofBody = Object.entries(bodyProperties(operation)).flatMap(([name, { 'x-sets': sets }]) => {
    const value = body?.[name]
    if (body && value === undefined) return []
    if (Array.isArray(sets)) return sets
    const byValue = asObject(sets) // by the value that sets them
    return body ? asArray(byValue[String(value)]) : Object.values(byValue).flat()
  })
  return [...asArray(operation.schema['x-sets']), ...ofBody].map(String)
}

function bodyProperties({ schema }: ContractOperation): Record<string, Schema> {
  const content = asObject(asObject(schema['requestBody'])['content'])
  const body = asObject(asObject(content['application/json'])['schema'])
  return asObject(body['properties']) as Record<string, Schema>
}

function responseSchema({ operation, response }: Exchange): Schema {
  return branchOf(operation.responses[200]?.content['application/json'] ?? {}, response.value)
}

/** The ids that the service gave out, by kind. */
export function idsGiven(exchange: Exchange): Partial<NextIds> | undefined {
  const { status, value } = exchange.response
  if (status !== 200 || !isObject(value)) return undefined
  const properties = Object.entries(asObject(responseSchema(exchange)['properties']))
  const ids = properties.flatMap(([name, property]) => {
    const { 'x-next': kind } = asObject(property)
    return kind !== undefined && isId(value[name]) ? [[kind, Number(value[name])]] : []
  })
  return ids.length > 0 ? Object.fromEntries(ids) : undefined
}

/** What a response shows of the account, before or after the exchange. */
export function observe(exchange: Exchange): Observation[] {
  const { operation, path, request, response } = exchange
  const { status, value } = response
  if (status === 401 || isMalformed(request.credentials)) return []
  const shows = operation.schema['x-shows']
  const schema = responseSchema(exchange)
  const seen: Observation[] = []
  if (typeof shows === 'string') {
    const base = filled(shows, path)
    const read = special[shows.split('/').slice(2).join('/')]
    const isMissing = status === 404 || status === 422 || (Array.isArray(value) && value.length === 0)
    if (base && base === recordOf(base) && isMissing) return [{ path: base, value: false }]
    if (status === 200 && read) seen.push(...(base === undefined ? [] : read(exchange, base)))
    else if (status === 200) seen.push(...recordsIn(value, schema, shows, path))
  }
  if (status === 200) seen.push(...fieldsThatShow(value, schema, path), ...implied(exchange))
  return withRecords([...seen, ...throttled(exchange)])
}

/** A call that changed something shows that what it names exists. */
function implied(exchange: Exchange): Observation[] {
  const { inPath = [], inBody } = recordsNamed(exchange)
  const records = exchange.operation.method === 'GET' ? [] : [inPath, inBody].flat()
  const sessions = setBy(exchange).flatMap((path) => {
    const [server, session] = path.split('/').slice(4).map(decodeURIComponent)
    const since = instantOf(exchange.at)
    return session ? [{ path, value: { server, session, ip: '198.18.0.1', rotations: 0, since } }] : []
  })
  const all: Fact[] = [...records.map((path) => ({ path, value: true })), ...sessions]
  return all.map((one) => ({ ...one, implied: true }))
}

/** The time of the next possible update that a refusal names: it shows when the last one was. */
export function throttled(exchange: Exchange): { path: string; value: number }[] {
  const { status, body } = exchange.response
  const [named = ''] = status === 429 ? (/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/.exec(body) ?? []) : []
  const next = parseDateTime(named)
  const { inPath } = recordsNamed(exchange)
  return Number.isNaN(next) || !inPath ? [] : [{ path: `${inPath}/list_updated_at`, value: next }]
}

/** What shows a field shows that its record exists. */
function withRecords(seen: readonly Observation[]): Observation[] {
  const direct = seen.filter(({ implied: isImplied }) => !isImplied).map(({ path }) => recordOf(path))
  const records = new Set(
    seen.filter(({ path }) => path !== recordOf(path)).map(({ path }) => recordOf(path)),
  )
  return [
    ...[...records].map((path) => ({ path, value: true, ...(!direct.includes(path) && { implied: true }) })),
    ...seen,
  ]
}

function recordsIn(value: unknown, schema: Schema, shows: string, path: Fields): Observation[] {
  const own = Array.isArray(value) ? asObject(schema['items']) : schema
  return [value].flat().flatMap((item) => {
    const base = isObject(item) ? filled(shows, { ...item, ...path }) : undefined
    return base === undefined ? [] : fieldsOf(item as Fields, branchOf(own, item), base)
  })
}

/** The fields of a record that the contract defines, if the world can hold their values. */
function fieldsOf(record: Fields, schema: Schema, base: string): Observation[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  const seen: Observation[] = base === '' ? [] : [{ path: base, value: true }]
  for (const [name, property] of Object.entries(properties)) {
    const path = base === '' ? name : `${base}/${name}`
    const value = valueOf(name === 'geo' ? countries(record[name]) : record[name], property)
    if (idFields.has(name)) continue
    if (value !== undefined) seen.push({ path, value, generated: property['x-generated'] === true })
    else if (!required.includes(name) && (record[name] ?? '') === '') seen.push({ path, value: undefined })
  }
  return seen
}

/** The fields that are the id of a record, and not in it */
const idFields: ReadonlySet<string> = new Set(['service_id', 'productId', 'id'])

/** Single fields of a response that show something elsewhere. */
function fieldsThatShow(record: unknown, schema: Schema, values: Fields): Observation[] {
  return Object.entries(asObject(schema['properties'])).flatMap(([name, property]) => {
    const { 'x-shows': shows } = asObject(property)
    const path = typeof shows === 'string' ? filled(shows, values) : undefined
    const value = valueOf(asObject(record)[name], asObject(property))
    return path === undefined || value === undefined ? [] : [{ path, value, implied: true }]
  })
}

/** A value as its schema defines it; undefined if it breaks the contract. */
function valueOf(value: unknown, schema: Schema): unknown {
  const own = branchOf(schema, value)
  const typed = unquoted(own, value)
  return typed === null || mismatch(own, typed) !== undefined ? undefined : typed
}

/** Country codes, from codes or from objects that contain one. */
function countries(geo: unknown): unknown {
  if (!Array.isArray(geo)) return geo
  const isCode = (one: unknown): boolean => /^[A-Z]{2}$/.test(String(one))
  const codes = geo.map((item) => (isObject(item) ? Object.values(item).find(isCode) : item))
  return codes.every(isCode) ? codes : undefined
}

type Reader = (exchange: Exchange, base: string) => Observation[]

/** Fields of a service that responses show in another form than the world has them, by their path in the service. */
const special: Record<string, Reader> = {
  usage({ response: { value } }, base) {
    const [entry] = asArray(value)
    if (entry === undefined) return [{ path: `${base}/limit`, value: null }]
    const fields = ['limit', 'rate'].map((name) => ({
      path: `${base}/${name}`,
      value: asObject(entry)[name],
    }))
    return [...rotating(base), ...fields.filter((one) => typeof one.value === 'number')]
  },
  'usage/stats'({ response: { value } }, base) {
    const days = asArray(value).map(asObject)
    const stats = Object.fromEntries(days.map(({ date, rate }) => [String(date), Number(rate)]))
    return [...(days.length > 0 ? rotating(base) : []), { path: base, value: stats }]
  },
  errors: addresses,
  inactive: addresses,
  ips({ path, response }, base) {
    const entries = entriesOf(response.value ?? linesOf(response.body))
    const record = recordOf(base)
    const ips = entries.map(({ ip }) => ip)
    const login = (['username', 'password'] as const).map((name) => ({
      path: `${record}/${name}`,
      value: entries[0]?.[name],
      generated: true,
    }))
    return [
      { path: base, value: ips, generated: true },
      // An update makes other addresses, but as many.
      ...(path['typel']?.startsWith('ppr') || ips.length === 0
        ? []
        : [{ path: `${record}/ip_count`, value: ips.length }]),
      ...login.filter(({ value }) => value !== undefined),
    ]
  },
  sticky({ response: { value } }, base) {
    const found = [value].flat().flatMap((item) => sessionIn(item, base))
    return found.length > 0 ? [...rotating(base), ...found] : []
  },
}

/** Only a rotating service has usage and sessions. */
function rotating(base: string): Observation[] {
  return [{ path: `${recordOf(base)}/product_type`, value: 'ppr' }]
}

function addresses({ response: { value } }: Exchange, base: string): Observation[] {
  return [{ path: base, value: asArray(value).filter((ip) => typeof ip === 'string' && isIpv4(ip)) }]
}

interface IpEntry {
  ip: string
  username?: unknown
  password?: unknown
}

/** The entries of an IP list, in any layout. */
function entriesOf(list: unknown): IpEntry[] {
  return asArray(list).flatMap((item) => {
    const texts = isObject(item) ? Object.values(item) : (String(item).match(anyAddress) ?? [])
    const ip = texts.find((one): one is string => typeof one === 'string' && isIpv4(one))
    if (ip === undefined) return []
    return [{ ...(isObject(item) ? item : ipLineOf(String(item))?.login), ip }]
  })
}

/** A session and the TTL of its service, as the world has them, unless the record has another shape. */
function sessionIn(item: unknown, base: string): Observation[] {
  const { server, session, ip, expires_at, ttl } = asObject(item)
  const expires = parseDateTime(String(expires_at))
  if ([server, session, ip].some((one) => kindOf(one) !== 'string')) return []
  if (typeof ttl !== 'number' || Number.isNaN(expires)) return []
  const names = [server, session].map((name) => encodeURIComponent(name as string))
  const value = { server, session, ip, rotations: 0, since: instantOf(expires - ttl * 60_000) }
  return [
    { path: `${base}/ttl`, value: ttl },
    { path: `${base}/sessions/${names.join('/')}`, value, generated: true },
  ]
}

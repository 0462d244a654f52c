import { asArray, asObject, type ContractOperation, type Schema } from '../contract/Contract.ts'
import { isIpv4 } from '../world/addresses.ts'
import { isObject } from '../world/mergePatch.ts'
import { instantOf, parseDateTime, type Instant } from '../world/time.ts'
import type { NextIds, StickySession } from '../world/World.ts'
import { idFields } from './compare.ts'
import { isMalformed, type Exchange } from './Exchange.ts'
import { ipLineOf } from './ipLine.ts'
import { branchOf, isNumber, isNumeric, kindOf, linesOf, mismatch } from './schemas.ts'
import { anyAddress } from './StandIns.ts'

/* What an exchange shows of the account and sets in it, as the contract says (`x-shows`, `x-sets`, `x-names`, `x-next`). */

/** What a response shows: the value at a path such as `services/5001/status`. */
export interface Observation {
  /** The path of a record (`services/5001`) has a boolean: whether it exists */
  path: string
  /** undefined: the record has no such field */
  value: unknown
  /** The service generates such values itself */
  generated?: boolean
  /** No response has it, but the call couldn't have succeeded otherwise */
  implied?: boolean
}

type Scope = Readonly<Record<string, unknown>>

/** A path with its variables filled in: cut before the first that is missing, or isn't an id where one is needed. */
function filled(template: string, scope: Scope): string {
  const parts: string[] = []
  for (const [i, part] of template.split('/').entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    const value = name === undefined ? part : scope[name]
    if (value === undefined || (name !== undefined && i === 1 && !isId(value))) break
    parts.push(name === undefined ? part : encodeURIComponent(value as string))
  }
  return parts.join('/')
}

function isWhole(path: string, template: string): boolean {
  return path.split('/').length === template.split('/').length
}

function isId(value: unknown): boolean {
  return /^[1-9][0-9]{0,9}$/.test(String(value))
}

/** Paths of the records that a request names: `services/5001`. */
export function recordsNamed({ operation, path, request }: Exchange): { inPath?: string; inBody: string[] } {
  const parameters = asArray(operation.schema['parameters']).map(asObject)
  const named = parameters.find((one) => one['x-names'] !== undefined)
  const id = path[String(named?.['name'])]
  const body = asObject(request.value)
  const inBody = Object.entries(bodyProperties(operation)).flatMap(([name, { 'x-names': kind }]) =>
    typeof kind === 'string' && isId(body[name]) ? [`${kind}/${String(body[name])}`] : [],
  )
  return { ...(named && { inPath: isId(id) ? `${String(named['x-names'])}/${id}` : '' }), inBody }
}

/** The kind of record that an exchange lists in full: what isn't in the list doesn't exist. */
export function listedBy({ operation, path, request, response }: Exchange): string | undefined {
  const [, kind, variable = ''] = /^(\w+)\/\{(\w+)\}$/.exec(String(operation.schema['x-shows'])) ?? []
  const isList = response.status === 200 && Array.isArray(response.value) && !isMalformed(request.credentials)
  return isList && kind !== undefined && !(variable in path) ? kind : undefined
}

/** The paths that an exchange sets if the service carried it out, each including all below it. */
export function setBy(exchange: Exchange): string[] {
  const { status, body, value } = exchange.response
  const didNothing = body === '' || (Array.isArray(value) && value.length === 0)
  if (status !== 200 || didNothing) return []
  return setsOf(exchange.operation, exchange.path, exchange.request.value ?? {}).flatMap((template) => {
    const path = filled(template, { ...exchange.path, ...asObject(value) })
    return isWhole(path, template) ? [path] : []
  })
}

/**
 * What a call may have set whose outcome is unknown. A kind of record stands for new ones in it.
 * @param body undefined if it is unknown
 */
export function maySet(operation: ContractOperation, path: Scope, body: unknown): string[] {
  return setsOf(operation, path, body).flatMap((template) => {
    const [, variable = ''] = /^\w+\/\{(\w+)\}/.exec(template) ?? []
    if (variable in path && !isId(path[variable])) return []
    // A session lives as long as the TTL says, so each says something of the other.
    return [filled(template.replace(/(\/sticky)\/.*/, '$1'), path)]
  })
}

function setsOf(operation: ContractOperation, path: Scope, body: unknown): string[] {
  const own = asArray(operation.schema['x-sets']).map(String)
  const asked = Object.entries(bodyProperties(operation)).flatMap(([name, { 'x-sets': sets }]) => {
    const value = isObject(body) ? body[name] : undefined
    if (body !== undefined && value === undefined) return []
    if (Array.isArray(sets)) return sets
    const byValue = asObject(sets) // by the value that sets them
    return body === undefined ? Object.values(byValue).flat() : asArray(byValue[String(value)])
  })
  return [...own, ...asked.map(String)]
}

function bodyProperties({ schema }: ContractOperation): Record<string, Schema> {
  const content = asObject(asObject(schema['requestBody'])['content'])
  const body = asObject(asObject(content['application/json'])['schema'])
  return asObject(body['properties']) as Record<string, Schema>
}

/** The ids that the service gave out, by kind. */
export function idsGiven({ operation, response }: Exchange): Partial<NextIds> | undefined {
  if (response.status !== 200 || !isObject(response.value)) return undefined
  const schema = branchOf(operation.responses[200]?.content['application/json'] ?? {}, response.value)
  const ids: Partial<NextIds> = {}
  for (const [name, property] of Object.entries(asObject(schema['properties']))) {
    const kind = asObject(property)['x-next'] as keyof NextIds | undefined
    if (kind === undefined) continue
    if (!isId(response.value[name])) return undefined
    ids[kind] = Number(response.value[name])
  }
  return Object.keys(ids).length > 0 ? ids : undefined
}

/** What a response shows of the account, before or after the exchange. */
export function observe(exchange: Exchange): Observation[] {
  const { operation, path, request, response } = exchange
  if (response.status === 401 || isMalformed(request.credentials)) return []
  const schema = branchOf(operation.responses[200]?.content['application/json'] ?? {}, response.value)
  const shows = operation.schema['x-shows']
  const seen: Observation[] = []
  if (typeof shows === 'string') {
    const base = filled(shows, path)
    const [kind = '', , ...field] = shows.split('/')
    const isOfPath = isWhole(base, shows)
    if (kind !== '' && field.length === 0 && isOfPath && isAbsent(exchange))
      return [{ path: base, value: false }]
    const read = special[field.join('/')]
    if (response.status !== 200) return []
    if (read) seen.push(...(isOfPath ? read(exchange, base) : []))
    else seen.push(...recordsIn(response.value, schema, shows, path))
  }
  if (response.status === 200 && isObject(response.value))
    seen.push(...fieldsThatShow(response.value, schema, path))
  return withRecords([...seen, ...refusedUpdate(exchange), ...impliedBy(exchange)])
}

/** A call that changed something shows that the records exist that it names. */
function impliedBy(exchange: Exchange): Observation[] {
  if (exchange.operation.method === 'GET' || exchange.response.status !== 200) return []
  const { inPath = '', inBody } = recordsNamed(exchange)
  return [inPath, ...inBody].flatMap((path) => (path === '' ? [] : [{ path, value: true, implied: true }]))
}

/** The time of the next possible update that a refusal names; `adopt` knows the time of the last one from it. */
export function refusedUpdate(exchange: Exchange): { path: string; value: Instant }[] {
  const { status, body } = exchange.response
  const [named = ''] = status === 429 ? (/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/.exec(body) ?? []) : []
  const next = parseDateTime(named)
  const { inPath = '' } = recordsNamed(exchange)
  return Number.isNaN(next) || inPath === '' ? [] : [{ path: `${inPath}/list_updated_at`, value: next }]
}

/** Whether there is no record of the id that was asked for. */
function isAbsent({ response: { status, value } }: Exchange): boolean {
  return status === 404 || status === 422 || (status === 200 && Array.isArray(value) && value.length === 0)
}

/** What shows a field shows that its record exists. */
function withRecords(seen: Observation[]): Observation[] {
  const records = new Set(
    seen.flatMap(({ path }) => (path.split('/').length > 2 ? [path.split('/', 2).join('/')] : [])),
  )
  for (const { path, implied } of seen) if (!implied) records.delete(path)
  return [...[...records].map((path) => ({ path, value: true })), ...seen]
}

function recordsIn(value: unknown, schema: Schema, shows: string, path: Scope): Observation[] {
  const isList = Array.isArray(value)
  const items: unknown[] = isList ? value : [value]
  const own = isList ? ((schema['items'] ?? {}) as Schema) : schema
  return items.filter(isObject).flatMap((item) => {
    const base = filled(shows, { ...item, ...path })
    return isWhole(base, shows) ? fieldsOf(item, own, base) : []
  })
}

/** The fields of a record that the contract defines, if the world can hold their values. */
function fieldsOf(record: Record<string, unknown>, schema: Schema, base: string): Observation[] {
  const own = branchOf(schema, record)
  const required = (own['required'] ?? []) as string[]
  const seen: Observation[] = base === '' ? [] : [{ path: base, value: true }]
  for (const [name, property] of Object.entries((own['properties'] ?? {}) as Record<string, Schema>)) {
    if (idFields.has(name)) continue
    const path = base === '' ? name : `${base}/${name}`
    const value = valueOf(name === 'geo' ? countries(record[name]) : record[name], property)
    if (value !== undefined) seen.push({ path, value, generated: property['x-generated'] === true })
    else if (!required.includes(name) && (record[name] ?? '') === '') seen.push({ path, value: undefined })
  }
  return seen
}

/** Single fields of a response that show something elsewhere. */
function fieldsThatShow(record: Record<string, unknown>, schema: Schema, path: Scope): Observation[] {
  return Object.entries(asObject(schema['properties'])).flatMap(([name, property]) => {
    const shows = asObject(property)['x-shows']
    const value = valueOf(record[name], asObject(property))
    return typeof shows === 'string' && value !== undefined
      ? [{ path: filled(shows, path), value, implied: true }]
      : []
  })
}

/** A value as its schema defines it; numbers may be quoted. undefined if it breaks the contract. */
function valueOf(value: unknown, schema: Schema): unknown {
  const own = branchOf(schema, value)
  const typed = isNumber(own) && isNumeric(value) ? Number(value) : value
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
  usage: ({ response: { value } }, base) => {
    if (!Array.isArray(value)) return []
    const [entry] = value
    if (!isObject(entry)) return [{ path: `${base}/limit`, value: null }]
    return rotating(base).concat(
      ['limit', 'rate'].flatMap((name) => {
        const number = valueOf(entry[name], { type: 'number' })
        return number === undefined ? [] : [{ path: `${base}/${name}`, value: number }]
      }),
    )
  },
  'usage/stats': ({ response: { value } }, base) => {
    if (!Array.isArray(value)) return []
    const days = value.filter(isObject).flatMap(({ date, rate }) => {
      const count = valueOf(rate, { type: 'number' })
      return typeof date === 'string' && count !== undefined ? [[date, count] as const] : []
    })
    return [...(days.length > 0 ? rotating(base) : []), { path: base, value: Object.fromEntries(days) }]
  },
  errors: addresses,
  inactive: addresses,
  ips: ({ path, response }, base) => {
    const entries = entriesOf(response.value ?? linesOf(response.body))
    const record = base.slice(0, base.lastIndexOf('/'))
    const ips = entries.map(({ ip }) => ip)
    return [
      { path: base, value: ips, generated: true },
      // An update makes other addresses, but as many.
      ...(path['typel']?.startsWith('ppr') || ips.length === 0
        ? []
        : [{ path: `${record}/ip_count`, value: ips.length }]),
      ...(['username', 'password'] as const).flatMap((name) => {
        const value = entries[0]?.[name]
        return value === undefined ? [] : [{ path: `${record}/${name}`, value, generated: true }]
      }),
    ]
  },
  sticky: ({ response: { value } }, base) => {
    const found = (Array.isArray(value) ? value : [value]).map(sessionOf)
    const known = found.filter((one) => one !== undefined)
    return [
      ...(known[0] ? [...rotating(base), { path: `${base}/ttl`, value: known[0].ttl }] : []),
      ...(Array.isArray(value) && known.length === found.length
        ? [{ path: `${base}/sessions`, value: known.map(({ session }) => session) }]
        : known.map((one) => sessionObservation(base, one.session))),
    ]
  },
}

/** A single session: names are encoded, because they can contain anything. */
export function sessionObservation(sticky: string, session: StickySession): Observation {
  const names = [session.server, session.session].map(encodeURIComponent)
  return { path: `${sticky}/sessions/${names.join('/')}`, value: session }
}

/** Only a rotating service has usage and sessions. */
function rotating(base: string): Observation[] {
  return [{ path: `${base.split('/', 2).join('/')}/product_type`, value: 'ppr' }]
}

function addresses({ response: { value } }: Exchange, base: string): Observation[] {
  return Array.isArray(value)
    ? [{ path: base, value: value.filter((ip) => typeof ip === 'string' && isIpv4(ip)) }]
    : []
}

interface IpEntry {
  ip: string
  username?: unknown
  password?: unknown
}

/** The entries of an IP list, in any layout. */
function entriesOf(list: unknown): IpEntry[] {
  return asArray(list).flatMap((item) => {
    if (isObject(item)) {
      const ip = Object.values(item).find((one): one is string => typeof one === 'string' && isIpv4(one))
      return ip === undefined ? [] : [{ ...item, ip }]
    }
    const ip = String(item).match(anyAddress)?.[0]
    return ip === undefined || !isIpv4(ip) ? [] : [{ ip, ...ipLineOf(String(item))?.login }]
  })
}

/** A session as the world has it; undefined if the record has another shape. */
export function sessionOf(item: unknown): { session: StickySession; ttl: number } | undefined {
  if (!isObject(item)) return undefined
  const { server, session, ip, expires_at } = item
  const ttl = valueOf(item['ttl'], { type: 'number' })
  const expires = parseDateTime(String(expires_at))
  if ([server, session, ip].some((one) => kindOf(one) !== 'string')) return undefined
  if (typeof ttl !== 'number' || Number.isNaN(expires)) return undefined
  const since = instantOf(expires - ttl * 60_000)
  return { session: { server, session, ip, rotations: 0, since } as StickySession, ttl }
}

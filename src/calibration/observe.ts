import { asArray, asObject, type ContractOperation, type Schema } from '../contract/Contract.ts'
import { isIpv4 } from '../world/addresses.ts'
import { isKind } from '../world/change.ts'
import { fields } from '../world/fields.ts'
import { isObject } from '../world/mergePatch.ts'
import { instantOf, parseDateTime } from '../world/time.ts'
import type { NextIds } from '../world/World.ts'
import type { Fact } from './adopt.ts'
import { bodyOf, type Part } from './compare.ts'
import { isMalformed, type Exchange } from './Exchange.ts'
import { ipLineOf } from './ipLine.ts'
import { anyAddress } from './Placeholders.ts'
import { linesOf } from './schemas.ts'

/* What an exchange shows of the account and sets in it, as the contract says (`x-shows`, `x-sets`, `x-names`, `x-next`). */

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
  const named = asArray(operation.schema['parameters'])
    .map(asObject)
    .find((one) => one['x-names'])
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

/** The ids that the service gave out, by kind. */
export function idsGiven({ operation, response }: Exchange): Partial<NextIds> | undefined {
  const { parts = [] } = (response.status === 200 && bodyOf(operation, response).part) || {}
  const ids = [...parts].flatMap(([, { schema, value }]) =>
    schema['x-next'] !== undefined && isId(value) ? [[schema['x-next'], Number(value)]] : [],
  )
  return ids.length > 0 ? Object.fromEntries(ids) : undefined
}

/** What a response shows of the account, before or after the exchange. */
export function observe(exchange: Exchange): Fact[] {
  const { operation, path, request, response } = exchange
  const { status, value } = response
  if (status === 401 || isMalformed(request.credentials)) return []
  const shows = operation.schema['x-shows']
  const base = typeof shows === 'string' ? filled(shows, path) : undefined
  const isMissing = status === 404 || status === 422 || (Array.isArray(value) && value.length === 0)
  if (base && base === recordOf(base) && isMissing) return [{ path: base, value: false }]
  if (status !== 200) return throttled(exchange)
  const { part } = bodyOf(operation, response)
  const seen = new Map<string, Fact>()
  for (const one of [...(part ? shownIn(part, exchange, base) : []), ...implied(exchange)])
    for (const it of one.path.includes('/') ? [{ path: recordOf(one.path), value: true }, one] : [one])
      if (!seen.has(it.path)) seen.set(it.path, it)
  return [...seen.values()]
}

function shownIn(part: Part, exchange: Exchange, base: string | undefined): Fact[] {
  const { operation, path } = exchange
  const shows = operation.schema['x-shows']
  const elsewhere = valuesElsewhere(part, path)
  if (typeof shows !== 'string') return elsewhere
  const reader = readers[shows.split('/').slice(2).join('/')]
  if (!reader) return [...recordsIn(part).flatMap((record) => fieldsOf(record, shows, path)), ...elsewhere]
  const read = base === undefined ? [] : reader(part, exchange)
  return read.map((one) => ({ ...one, path: `${recordOf(String(base))}/${one.path}` }))
}

function recordsIn(part: Part): Part[] {
  return Array.isArray(part.value) ? [...part.parts.values()] : [part]
}

/** The fields of a record that the world has too. */
function fieldsOf({ value: record, parts, schema }: Part, shows: string, path: Fields): Fact[] {
  const base = isObject(record) ? filled(shows, { ...record, ...path }) : undefined
  if (base === undefined) return []
  const [kind = ''] = base.split('/')
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  return Object.keys(properties).flatMap((name): Fact[] => {
    if (isKind(kind) && !Object.hasOwn(fields[kind], name)) return []
    const at = base === '' ? name : `${base}/${name}`
    const shown = parts.get(name)
    if (!required.includes(name) && (shown?.value ?? '') === '') return [{ path: at, value: undefined }]
    const value = name === 'geo' ? countries(shown?.value) : shown?.value
    if (!shown || shown.isWrong || value === undefined) return []
    return [{ path: at, value, generated: shown.schema['x-generated'] === true }]
  })
}

/** Single fields of a response that show something elsewhere. */
function valuesElsewhere({ parts }: Part, path: Fields): Fact[] {
  return [...parts.values()].flatMap(({ schema, value, isWrong }): Fact[] => {
    const at = typeof schema['x-shows'] === 'string' ? filled(schema['x-shows'], path) : undefined
    return at === undefined || isWrong ? [] : [{ path: at, value }]
  })
}

/** A call that changed something shows that what it names exists, in whatever shape it responded. */
function implied(exchange: Exchange): Fact[] {
  const sets = setBy(exchange)
  if (sets.length === 0) return []
  const { inPath = [], inBody } = recordsNamed(exchange)
  const { server, session } = exchange.path
  const value = { server, session, ip: '198.18.0.1', rotations: 0, since: instantOf(exchange.at) }
  const sessions = sets.filter((path) => path.split('/').length > 4).map((path) => ({ path, value }))
  return [...[inPath, inBody].flat().map((path) => ({ path, value: true })), ...sessions]
}

/** The time of the next possible update that a refusal names: it shows when the last one was. */
export function throttled(exchange: Exchange): { path: string; value: number }[] {
  const { status, body } = exchange.response
  const [named = ''] = status === 429 ? (/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/.exec(body) ?? []) : []
  const next = parseDateTime(named)
  const { inPath } = recordsNamed(exchange)
  return Number.isNaN(next) || !inPath ? [] : [{ path: `${inPath}/list_updated_at`, value: next }]
}

/** Country codes, from codes or from objects that contain one. */
function countries(geo: unknown): unknown {
  const isCode = (one: unknown): boolean => /^[A-Z]{2}$/.test(String(one))
  const codes = asArray(geo).map((item) => (isObject(item) ? Object.values(item).find(isCode) : item))
  return codes.every(isCode) ? codes : undefined
}

/** Fields of a service that responses show in another form than the world has them, by their path in the service. */
const readers: Record<string, (body: Part, exchange: Exchange) => Fact[]> = {
  usage(body) {
    const [entry] = recordsIn(body)
    if (!entry) return [{ path: 'usage/limit', value: null }]
    return [rotating, ...['limit', 'rate'].flatMap((name) => fact(`usage/${name}`, entry.parts.get(name)))]
  },
  'usage/stats'(body) {
    const days = recordsIn(body).map(({ value }) => asObject(value))
    const value = Object.fromEntries(days.map(({ date, rate }) => [String(date), Number(rate)]))
    return [...(days.length > 0 ? [rotating] : []), { path: 'usage/stats', value }]
  },
  errors: ({ value }) => [{ path: 'errors', value: asArray(value).filter((ip) => isIpv4(String(ip))) }],
  inactive: ({ value }) => [{ path: 'inactive', value: asArray(value).filter((ip) => isIpv4(String(ip))) }],
  ips(_, { path, response }) {
    const entries = asArray(response.value ?? linesOf(response.body)).flatMap(addressIn)
    const [{ ip: _ip, ...login } = { ip: '' }] = entries
    const ips = entries.map(({ ip }) => ip)
    // An update makes other addresses, but as many.
    const isCounted = !path['typel']?.startsWith('ppr') && ips.length > 0
    return [
      { path: 'ips', value: ips, generated: true },
      ...(isCounted ? [{ path: 'ip_count', value: ips.length }] : []),
      ...Object.entries(login).map(([name, value]) => ({ path: name, value, generated: true })),
    ]
  },
  sticky(body) {
    const found = recordsIn(body).flatMap(sessionIn)
    return found.length > 0 ? [rotating, ...found] : []
  },
}

/** Only a rotating service has usage and sessions. */
const rotating: Fact = { path: 'product_type', value: 'ppr' }

function fact(path: string, part: Part | undefined): Fact[] {
  return part && !part.isWrong ? [{ path, value: part.value }] : []
}

interface Address {
  ip: string
  username?: unknown
  password?: unknown
}

/** The address, with its login, of an entry of an IP list in any layout. */
function addressIn(entry: unknown): Address[] {
  const texts = isObject(entry) ? Object.values(entry) : (String(entry).match(anyAddress) ?? [])
  const ip = texts.find((one): one is string => typeof one === 'string' && isIpv4(one))
  const { username, password } = asObject(isObject(entry) ? entry : ipLineOf(String(entry))?.login)
  return ip === undefined ? [] : [{ ip, ...(username !== undefined && { username, password }) }]
}

/** A session and the TTL of its service, as the world has them, unless the record has another shape. */
function sessionIn({ parts }: Part): Fact[] {
  const [server, session, ip, ttl, expires] = ['server', 'session', 'ip', 'ttl', 'expires_at'].map((name) =>
    parts.get(name),
  )
  if ([server, session, ip, ttl].some((one) => !one || one.isWrong)) return []
  const end = parseDateTime(String(expires?.value))
  if (Number.isNaN(end)) return []
  const [since, name] = [instantOf(end - Number(ttl?.value) * 60_000), session?.value]
  const value = { server: server?.value, session: name, ip: ip?.value, rotations: 0, since }
  const path = ['sticky/sessions', server?.value, name].map(String)
  return [
    { path: 'sticky/ttl', value: ttl?.value },
    { path: [path[0], ...path.slice(1).map(encodeURIComponent)].join('/'), value, generated: true },
  ]
}

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
    .find((one) => isKind(String(one['x-names'])))
  const id = path[String(named?.['name'])]
  const body = asObject(request.value)
  const inBody = Object.entries(bodyProperties(operation)).flatMap(([name, { 'x-names': kind }]) =>
    typeof kind === 'string' && isKind(kind) && isId(body[name]) ? [`${kind}/${String(body[name])}`] : [],
  )
  return { ...(isId(id) && { inPath: `${String(named?.['x-names'])}/${id}` }), inBody }
}

/** What an exchange lists in full (`services`, `services/5001/sticky/sessions`): what isn't in the list doesn't exist. */
export function listedBy({ operation, path, response }: Exchange): string | undefined {
  if (response.status !== 200 || !Array.isArray(response.value)) return undefined
  const parts = String(operation.schema['x-shows']).split('/')
  const first = parts.findIndex((part) => part.startsWith('{') && !(part.slice(1, -1) in path))
  return first < 0 ? undefined : filled(parts.slice(0, first).join('/'), path)
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
    for (const it of [...withWhatHasIt(one), one]) if (!seen.has(it.path)) seen.set(it.path, it)
  return [...seen.values()]
}

/** What shows a field shows that its record exists, and of which type it is if others don't have the field. */
function withWhatHasIt({ path, value }: Fact): Fact[] {
  const names = path.split('/')
  const [kind, id, name = ''] = names
  if (id === undefined) return []
  const records = [2, 6].filter((n) => names.length >= n).map((n) => names.slice(0, n).join('/'))
  const { only } = (kind === 'services' && (fields.services as Record<string, { only?: string }>)[name]) || {}
  const isOfType = only !== undefined && value !== undefined
  return [
    ...records.map((record) => ({ path: record, value: true })),
    ...(isOfType ? [{ path: `${kind}/${id}/product_type`, value: only }] : []),
  ]
}

function shownIn(part: Part, exchange: Exchange, base: string | undefined): Fact[] {
  const shows = exchange.operation.schema['x-shows']
  const template = typeof shows === 'string' ? shows : undefined
  const records = Array.isArray(part.value) ? [...part.parts.values()] : [part]
  const [, , field = ''] = base?.split('/') ?? []
  if (base !== undefined && ['ips', 'errors', 'inactive'].includes(field)) return addressesIn(exchange, base)
  if (base !== undefined && records.length === 0) return [{ path: base, value: undefined }]
  if (base?.endsWith('/stats')) {
    const days = records.map(({ value }) => asObject(value))
    return [
      { path: base, value: Object.fromEntries(days.map(({ date, rate }) => [String(date), Number(rate)])) },
    ]
  }
  return records.flatMap((record) => fieldsOf(record, template, exchange.path))
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
    const since = parseDateTime(String(value)) - Number(ttl) * 60_000
    return Number.isNaN(since) ? undefined : instantOf(since)
  },
}

/** A call that changed something shows that what it names exists, in whatever shape it responded. */
function implied(exchange: Exchange): Fact[] {
  const sets = setBy(exchange)
  if (sets.length === 0) return []
  const { inPath = [], inBody } = recordsNamed(exchange)
  const sessions = sets.filter((path) => path.split('/').length > 4)
  return [
    ...[inPath, inBody].flat().map((path) => ({ path, value: true })),
    ...sessions.map((path) => ({ path: `${path}/expires_at`, value: instantOf(exchange.at) })),
  ]
}

/** The time of the next possible update that a refusal names: it shows when the last one was. */
export function throttled(exchange: Exchange): { path: string; value: number }[] {
  const { status, body } = exchange.response
  const [named = ''] = status === 429 ? (/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/.exec(body) ?? []) : []
  const next = parseDateTime(named)
  const { inPath } = recordsNamed(exchange)
  return Number.isNaN(next) || !inPath ? [] : [{ path: `${inPath}/list_updated_at`, value: next }]
}

/** The addresses of a service, in any layout; of its IP list the login too. */
function addressesIn({ path, response }: Exchange, base: string): Fact[] {
  const found = asArray(response.value ?? linesOf(response.body)).flatMap((entry) => {
    const texts = isObject(entry) ? Object.values(entry) : (String(entry).match(anyAddress) ?? [])
    const ip = texts.find((one) => isIpv4(String(one)))
    return ip === undefined
      ? []
      : [{ ip, login: asObject(isObject(entry) ? entry : ipLineOf(String(entry))?.login) }]
  })
  const ips = { path: base, value: found.map(({ ip }) => ip), generated: true }
  if (!base.endsWith('/ips') || found.length === 0) return [ips]
  const { username, password } = found[0]?.login ?? {}
  const record = recordOf(base)
  const login = { username, password }
  // An update makes other addresses, but as many.
  const count = path['typel']?.startsWith('ppr') ? [] : [{ path: `${record}/ip_count`, value: found.length }]
  const fact = (name: string, value: unknown): Fact[] =>
    value === undefined ? [] : [{ path: `${record}/${name}`, value, generated: true }]
  return [ips, ...count, ...Object.entries(login).flatMap(([name, value]) => fact(name, value))]
}

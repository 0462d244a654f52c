import type { Schema } from '../contract/Contract.ts'
import { isIpv4 } from '../world/ipv4.ts'
import { isObject } from '../world/mergePatch.ts'
import { instantOf } from '../world/time.ts'
import type { StickySession } from '../world/World.ts'
import type { Exchange } from './Exchange.ts'
import { branchOf, linesOf } from './parts.ts'

/** Something that an answer shows of the world: a value at a path of it, as `services/5001/status`. */
export interface Sight {
  /** A record's own path (`services/5001`) says whether it is there. */
  path: string
  /** undefined: the record has no such field */
  value: unknown
  /** It follows from how the service answered, and does not stand in the answer. */
  implied?: boolean
  /** The service makes such values up itself. */
  generated?: boolean
}

/** What an answer shows, and which lists it shows whole (`services`). */
export interface Sights {
  sights: Sight[]
  whole?: 'clients' | 'services' | 'invoices' | 'products'
}

type Bag = Record<string, unknown>
type Look = (exchange: Exchange) => Sights

/** Fields of the world that nothing in the API sets: traffic and time do. A new value is a new sight. */
export function changesByItself(path: string): boolean {
  return /^services\/\d+\/(?:usage\/.+|errors|inactive)$/.test(path)
}

/** What the answer of an exchange shows of the world, before or after it. */
export function sightsOf(exchange: Exchange): Sights {
  const { status } = exchange.response
  if (status === 401 || exchange.request.credentials.kind === 'malformed') return { sights: [] }
  return looks[exchange.operation.operationId]?.(exchange) ?? { sights: [] }
}

/** What an exchange sets, if the service carried it out: paths, with all that is below. */
export function setBy({ operation: { operationId }, path, request, response }: Exchange): string[] {
  if (response.status !== 200) return []
  const id = path['id'] ?? ''
  const asked = isObject(request.value) ? request.value : {}
  const given = isObject(response.value) ? response.value : {}
  // What 19 and 20 answer when they did something, the document does not say; when not, it is emptiness.
  const isDone = response.body !== '' && !Array.isArray(response.value)
  switch (operationId) {
    case 'orderService':
      return ['credit', `services/${String(given['serviceId'])}`, `invoices/${String(given['invoiceId'])}`]
    case 'updateService':
      return [
        ...(asked['setip'] === undefined ? [] : [`services/${id}/bindedip`]),
        ...(asked['password'] === undefined ? [] : [`services/${id}/password`]),
        ...(asked['update_list'] === 'true' ? [`services/${id}/ips`, `services/${id}/list_updated_at`] : []),
      ]
    case 'rotateStickySession':
      return [sessionPath(path)]
    case 'changeStickyTtl':
      return isDone ? [`services/${id}/sticky`] : []
    case 'resetStickySessions':
      return isDone ? [`services/${id}/sticky/sessions`] : []
    default:
      return []
  }
}

const isId = (value: unknown): boolean => /^[1-9][0-9]{0,9}$/.test(String(value))

/** The fields of a record that the contract has, where they are of its types; `absent` are those that it leaves out. */
function fieldsOf(
  record: unknown,
  schema: Schema | undefined,
  base: string,
  { without = [], optional = [] }: { without?: string[]; optional?: string[] } = {},
): Sight[] {
  if (!isObject(record)) return []
  const properties = (branchOf(schema ?? {}, record)['properties'] ?? {}) as Record<string, Schema>
  const sights: Sight[] = [{ path: base, value: true }]
  for (const [name, own] of Object.entries(properties)) {
    if (without.includes(name)) continue
    const value = typed(record[name], branchOf(own, record[name]))
    const generated = own['x-generated'] === true
    if (value !== undefined) sights.push({ path: `${base}/${name}`, value, generated })
    else if (optional.includes(name) && (record[name] ?? '') === '')
      sights.push({ path: `${base}/${name}`, value: undefined })
  }
  return sights
}

/** A value as its schema has it; a number in quotes is a number. undefined: it is something else. */
function typed(value: unknown, { type, enum: allowed }: Schema): unknown {
  if (value === undefined || value === null) return undefined
  if (
    (type === 'number' || type === 'integer') &&
    typeof value === 'string' &&
    /^-?\d{1,12}(?:\.\d+)?$/.test(value)
  )
    return Number(value)
  if (type === 'number' || type === 'integer') return typeof value === 'number' ? value : undefined
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (type === 'array') return Array.isArray(value) ? value : undefined
  if (typeof value !== 'string' || (Array.isArray(allowed) && !allowed.includes(value))) return undefined
  return value
}

function schemaOf({ operation }: Exchange): Schema | undefined {
  return operation.responses[200]?.content['application/json']
}

function itemsOf(exchange: Exchange): { items: Bag[]; schema: Schema } | undefined {
  const { status, value } = exchange.response
  if (status !== 200 || !Array.isArray(value)) return undefined
  const schema = branchOf(schemaOf(exchange) ?? {}, value)
  return { items: value.filter(isObject), schema: (schema['items'] ?? {}) as Schema }
}

const implied = (path: string, value: unknown): Sight => ({ path, value, implied: true })

/** A service that answered like this is there, and is like this. */
function impliedService(id: string, like: Bag = {}): Sight[] {
  return isId(id)
    ? [
        implied(`services/${id}`, true),
        ...Object.entries(like).map(([name, value]) => implied(`services/${id}/${name}`, value)),
      ]
    : []
}

const hasClient = { client: true }
const hasNoClient = { client: false }

const clients: Look = (exchange) => {
  const list = itemsOf(exchange)
  if (!list) return { sights: [] }
  const found = list.items.filter(({ id }) => isId(id))
  return {
    sights: found.flatMap((item) =>
      fieldsOf(item, list.schema, `clients/${String(item['id'])}`, { without: ['id'] }),
    ),
    whole: 'clients',
  }
}

const products: Look = (exchange) => {
  const list = itemsOf(exchange)
  if (!list) return { sights: [] }
  return {
    sights: list.items
      .filter(({ productId }) => isId(productId))
      .flatMap((item) =>
        fieldsOf(item, list.schema, `products/${String(item['productId'])}`, { without: ['productId'] }),
      ),
    whole: 'products',
  }
}

const product: Look = (exchange) => {
  const { path, response } = exchange
  const base = `products/${path['pid']}`
  if (!isId(path['pid'])) return { sights: [] }
  if (response.status === 422) return { sights: [{ path: base, value: false }] }
  if (response.status !== 200 || !isObject(response.value)) return { sights: [] }
  const geo = countries(response.value['geo'])
  return {
    sights: [
      ...fieldsOf(response.value, schemaOf(exchange), base, {
        without: ['productId', 'geo'],
        optional: ['ip_count', 'update_time'],
      }),
      ...(geo === undefined ? [] : [{ path: `${base}/geo`, value: geo }]),
    ],
  }
}

/** Codes of countries, from codes and from objects that hold one. */
function countries(geo: unknown): string[] | undefined {
  if (!Array.isArray(geo)) return undefined
  const codes = geo.map((item) =>
    typeof item === 'string'
      ? item
      : isObject(item)
        ? Object.values(item).find((one) => /^[A-Z]{2}$/.test(String(one)))
        : undefined,
  )
  return codes.every((code): code is string => typeof code === 'string' && /^[A-Z]{2}$/.test(code))
    ? codes
    : undefined
}

const order: Look = ({ operation, path, request, response }) => {
  const pid = path['pid'] ?? ''
  const asked = isObject(request.value) ? request.value : {}
  const client = `clients/${String(asked['clientid'])}`
  if (!isId(pid)) return { sights: [] }
  const there = [implied(`products/${pid}`, true)]
  const both = [...there, ...(isId(asked['clientid']) ? [implied(client, true)] : [])]
  if (response.status === 200 && isObject(response.value)) {
    const amount = typed(response.value['amount'], { type: 'number' })
    return {
      sights: [
        ...both,
        ...(amount === undefined ? [] : [implied(`products/${pid}/price`, amount)]),
        ...(asked['setip'] === undefined ? [] : [implied(`products/${pid}/product_type`, 'fpr')]),
      ],
    }
  }
  switch (caseName(operation, response.status, response.value)) {
    case 'product-not-found':
      return { sights: [implied(`products/${pid}`, false)] }
    case 'client-not-found':
      return { sights: isId(asked['clientid']) ? [...there, implied(client, false)] : there }
    case 'insufficient-funds':
      return { sights: both }
    case undefined:
    default:
      return { sights: [] }
  }
}

function caseName(operation: Exchange['operation'], status: number, value: unknown): string | undefined {
  const error = isObject(value) ? value['error'] : value
  return operation.cases.find(
    (one) => one.status === status && isObject(one.value) && one.value['error'] === error,
  )?.name
}

const service: Look = (exchange) => {
  const { path, response } = exchange
  const id = path['id'] ?? ''
  if (!isId(id)) return { sights: [] }
  const isEmpty = Array.isArray(response.value) && response.value.length === 0
  if (response.status === 422 || response.status === 404 || isEmpty)
    return { sights: [{ path: `services/${id}`, value: false }] }
  if (response.status !== 200 || !isObject(response.value)) return { sights: [] }
  return {
    sights: fieldsOf(response.value, schemaOf(exchange), `services/${id}`, {
      without: ['service_id'],
      optional: ['bindedip', 'ip_count'],
    }),
  }
}

const services: Look = (exchange) => {
  const list = itemsOf(exchange)
  if (!list) return { sights: [] }
  return {
    sights: list.items
      .filter(({ service_id }) => isId(service_id))
      .flatMap((item) =>
        fieldsOf(item, list.schema, `services/${String(item['service_id'])}`, { without: ['service_id'] }),
      ),
    whole: 'services',
  }
}

const invoiceSights = (items: readonly Bag[], schema: Schema): Sight[] =>
  items
    .filter(({ id }) => isId(id))
    .flatMap((item) =>
      fieldsOf(item, schema, `invoices/${String(item['id'])}`, {
        without: ['id'],
        optional: ['date_refunded', 'date_paid'],
      }),
    )

const invoices: Look = (exchange) => {
  const list = itemsOf(exchange)
  return list ? { sights: invoiceSights(list.items, list.schema), whole: 'invoices' } : { sights: [] }
}

const invoice: Look = (exchange) => {
  const id = exchange.path['id']
  if (!isId(id)) return { sights: [] }
  const list = itemsOf(exchange)
  if (exchange.response.status === 422 || exchange.response.status === 404 || list?.items.length === 0)
    return { sights: [{ path: `invoices/${id}`, value: false }] }
  return list ? { sights: invoiceSights(list.items, list.schema) } : { sights: [] }
}

const credit: Look = ({ response }) => {
  const value = isObject(response.value) ? typed(response.value['credit'], { type: 'number' }) : undefined
  return { sights: response.status === 200 && value !== undefined ? [{ path: 'credit', value }] : [] }
}

const stats: Look = (exchange) => {
  const id = exchange.path['id'] ?? ''
  const list = itemsOf(exchange)
  if (!list || !isId(id)) return { sights: [] }
  const days = list.items.flatMap(({ date, rate }) => {
    const count = typed(rate, { type: 'number' })
    return typeof date === 'string' && count !== undefined ? [[date, count]] : []
  })
  return {
    sights: [
      ...impliedService(id, { product_type: 'ppr' }),
      { path: `services/${id}/usage/stats`, value: Object.fromEntries(days) as unknown },
    ],
  }
}

const rate: Look = (exchange) => {
  const id = exchange.path['id'] ?? ''
  const list = itemsOf(exchange)
  if (!list || !isId(id)) return { sights: [] }
  const [first] = list.items
  const there = impliedService(id, { product_type: 'ppr' })
  if (!first) return { sights: [...there, { path: `services/${id}/usage/rate`, value: 'none' }] }
  const [limit, used] = [typed(first['limit'], { type: 'number' }), typed(first['rate'], { type: 'number' })]
  return {
    sights: [
      ...there,
      ...(limit === undefined ? [] : [{ path: `services/${id}/usage/limit`, value: limit }]),
      ...(used === undefined ? [] : [{ path: `services/${id}/usage/rate`, value: used }]),
    ],
  }
}

const network =
  (field: 'errors' | 'inactive'): Look =>
  ({ path, response }) => {
    const id = path['id'] ?? ''
    if (response.status === 400 && isObject(response.value))
      return { sights: impliedService(id, hasNoClient) }
    if (response.status !== 200 || !Array.isArray(response.value) || !isId(id)) return { sights: [] }
    const addresses = response.value.filter((ip) => typeof ip === 'string' && isIpv4(ip))
    return {
      sights: [...impliedService(id, hasClient), { path: `services/${id}/${field}`, value: addresses }],
    }
  }

const ipList: Look = ({ path, response }) => {
  const { id = '', typel = '', formatl } = path
  if (response.status !== 200 || !isId(id)) return { sights: [] }
  const entries =
    formatl === 'json' && response.value !== undefined
      ? jsonEntries(response.value)
      : textEntries(response.body)
  const like = { status: 'Active', product_type: typel.startsWith('ppr') ? 'ppr' : 'fpr' }
  const [first] = entries
  const login = (name: 'username' | 'password'): Sight[] =>
    first?.[name] === undefined
      ? []
      : [{ path: `services/${id}/${name}`, value: first[name], generated: true }]
  return {
    sights: [
      ...impliedService(id, like),
      { path: `services/${id}/ips`, value: entries.map(({ ip }) => ip), generated: true },
      ...login('username'),
      ...login('password'),
    ],
  }
}

interface Entry {
  ip: string
  username?: string
  password?: string
}

const anyAddress = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/

function jsonEntries(value: unknown): Entry[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item) => {
    if (typeof item === 'string') return lineEntry(item)
    if (!isObject(item)) return []
    const ip = Object.values(item).find((one) => typeof one === 'string' && isIpv4(one)) as string | undefined
    const { username, password } = item
    if (ip === undefined) return []
    return [
      {
        ip,
        ...(typeof username === 'string' && { username }),
        ...(typeof password === 'string' && { password }),
      },
    ]
  })
}

function textEntries(body: string): Entry[] {
  return linesOf(body).flatMap(lineEntry)
}

/** `ip:port:username:password` or `ip,port,username,password`; of other layouts the address alone. */
function lineEntry(line: string): Entry[] {
  const ip = anyAddress.exec(line)?.[0]
  if (ip === undefined || !isIpv4(ip)) return []
  const colons = /^[\d.]+:\d{1,5}:([^:]*):(.*)$/s.exec(line)
  if (colons) return [{ ip, username: colons[1] as string, password: colons[2] as string }]
  const fields = /^[\d.]+,\d{1,5},/.test(line) ? csvFields(line) : []
  if (fields.length === 4) return [{ ip, username: fields[2] as string, password: fields[3] as string }]
  return [{ ip }]
}

function csvFields(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
  )
}

/** A session as the world holds it; undefined where the record is of another shape. */
export function sessionOf(item: unknown): { session: StickySession; ttl: number } | undefined {
  if (!isObject(item)) return undefined
  const { server, session, ip, ttl, expires_at } = item
  const expires = typeof expires_at === 'string' ? Date.parse(`${expires_at.replace(' ', 'T')}Z`) : Number.NaN
  const minutes = typed(ttl, { type: 'number' })
  if (typeof server !== 'string' || typeof session !== 'string' || typeof minutes !== 'number')
    return undefined
  if (typeof ip !== 'string' || Number.isNaN(expires)) return undefined
  return {
    session: { server, session, ip, rotations: 0, since: instantOf(expires - minutes * 60_000) },
    ttl: minutes,
  }
}

/** Of one session; names may hold anything. */
function sessionPath({ id = '', server = '', session = '' }: Record<string, string>): string {
  return `services/${id}/sticky/sessions/${encodeURIComponent(server)}/${encodeURIComponent(session)}`
}

const living = { status: 'Active', product_type: 'ppr' }

const sessions: Look = (exchange) => {
  const id = exchange.path['id'] ?? ''
  const list = itemsOf(exchange)
  if (exchange.response.status === 422 && isId(id)) return { sights: [implied(`services/${id}`, false)] }
  if (!list || !isId(id)) return { sights: [] }
  if (list.items.length === 0)
    return { sights: [...impliedService(id), { path: `services/${id}/sticky/sessions`, value: [] }] }
  const found = list.items.map(sessionOf)
  const known = found.filter((one) => one !== undefined)
  return {
    sights: [
      ...impliedService(id, living),
      ...(known[0] ? [{ path: `services/${id}/sticky/ttl`, value: known[0].ttl }] : []),
      ...(known.length === found.length
        ? [{ path: `services/${id}/sticky/sessions`, value: known.map(({ session }) => session) }]
        : []),
    ],
  }
}

const rotated: Look = ({ path, response }) => {
  const { id = '' } = path
  if (response.status !== 200) return { sights: [] }
  const found = sessionOf(response.value)
  return {
    sights: [
      ...impliedService(id, living),
      ...(found && isId(id) ? [{ path: `services/${id}/sticky/ttl`, value: found.ttl }] : []),
      // It was there before; since when, nobody knows.
      ...(isId(id) ? [implied(sessionPath(path), true)] : []),
    ],
  }
}

/** 19 and 20: success of a living ppr service, emptiness of any other. */
const ttlOrReset: Look = ({ path, response }) => {
  const { id = '' } = path
  if (response.status !== 200) return { sights: [] }
  const done = response.body !== '' && !Array.isArray(response.value)
  return { sights: impliedService(id, done ? living : { dead: true }) }
}

const update: Look = ({ operation, path, request, response }) => {
  const { id = '' } = path
  const asked = isObject(request.value) ? request.value : {}
  const like = {
    status: 'Active',
    ...hasClient,
    ...(asked['setip'] !== undefined && { product_type: 'fpr' }),
  }
  if (response.status === 200 || response.status === 429) return { sights: impliedService(id, like) }
  switch (caseName(operation, response.status, response.value)) {
    case 'client-not-found':
      return { sights: impliedService(id, hasNoClient) }
    case 'ip-already-bound':
    case 'invalid-ipv4':
      return { sights: impliedService(id, like) }
    case undefined:
    default:
      return { sights: [] }
  }
}

const looks: Record<string, Look> = {
  listClients: clients,
  listProducts: products,
  listProductsOrderedBy: products,
  getProduct: product,
  orderService: order,
  getService: service,
  listServices: services,
  listInvoices: invoices,
  getInvoice: invoice,
  getCredit: credit,
  getStats: stats,
  getRate: rate,
  getNetworkErrors: network('errors'),
  getNetworkInactive: network('inactive'),
  getIpList: ipList,
  listStickySessions: sessions,
  rotateStickySession: rotated,
  changeStickyTtl: ttlOrReset,
  resetStickySessions: ttlOrReset,
  updateService: update,
}

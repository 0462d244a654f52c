import type { OperationId } from '../../contract/cases.gen.ts'
import { fromBase64 } from '../../lib/base64.ts'
import { isObject } from '../../world/mergePatch.ts'
import { type Instant, toIsoString, parseDateTime, type TimeZone } from '../../world/time.ts'
import type { Kind, NextIds } from '../../world/World.ts'
import { isIPv4 } from 'node:net'
import type { Assumptions } from '../values.ts'
import { ipLineOf } from './ipLine.ts'

/*
 * The facts about an account's records in an exchange. Nothing is inferred: a fact is either shown by a response, or
 * required for the call's success.
 */

/**
 * Path → value: `credit`, `services/5001` (whether it exists), `services/5001/status`, `services/5001/sticky/ttl`. A `client` is
 * an id, or whether there is one. Null means that the record has no such field.
 */
export type Facts = ReadonlyMap<string, unknown>

export interface Observation {
  /** Facts from before the exchange that still hold */
  shows: Facts
  /** Facts that hold since the exchange */
  sets: Facts
  /** The paths that it changed; each includes all paths below it */
  changedPaths: readonly string[]
  /** The paths that it lists completely: items that aren't listed don't exist */
  lists?: Kind | undefined
  /** The ids that the service assigned */
  next?: Partial<NextIds>
  /** Facts that an override changes: the response doesn't show them as they are */
  hidden?: readonly string[]
}

/** An exchange in the form in which facts are read from it. */
export interface Call {
  operationId: string
  path: Readonly<Record<string, string>>
  /** The JSON body of the request */
  asked: Bag
  status: number
  /** The response without contract violations: JSON with numbers as numbers, or the lines of a text */
  body: unknown
  /** Whether nothing of the response is usable */
  isBroken: boolean
  /** The case of a refusal, with the values of its variable parts */
  refusal: { name: string; filled: Readonly<Record<string, string>> } | undefined
  at: Instant
}

/** The interpretations that affect the meaning of a response */
export interface Interpretation {
  assumptions: Assumptions
  /** Seconds between two updates of a list */
  interval: number
}

/** A key of the interpretations: with equal keys, a response has the same meaning. */
export function interpretationKey({ assumptions, interval }: Interpretation): string {
  const { hiddenProducts, usageOfFpr, timeZone } = assumptions
  return [hiddenProducts, usageOfFpr, timeZone, interval].join(' ')
}

/** Whether the response of a call changes with time */
export function takesTime(operationId: string, asked: Bag): boolean {
  return /StickySessions?$/.test(operationId) || asked['update_list'] === 'true'
}

type Bag = Readonly<Record<string, unknown>>
type Read = (call: Call & { id: string; body: never }, interpretation: Interpretation) => Partial<Observation>

/** Fields that identify a list item, in order of precedence */
export const itemKeys = [
  ['service_id'],
  ['productId'],
  ['id'],
  ['server', 'session'],
  ['date'],
  ['code'],
  ['ip'],
]

/** Traffic changes these fields, so earlier values prove nothing. */
export function isVolatile(path: string): boolean {
  return /^services\/\d+\/(?:usage|errors|inactive)(?:\/|$)/.test(path)
}

export function observe(call: Call, interpretation: Interpretation): Observation {
  const id = call.path['id'] ?? call.path['pid'] ?? ''
  const hasId = id === '' || isId(id)
  return { shows: new Map(), sets: new Map(), changedPaths: [], ...(hasId && said(call, id, interpretation)) }
}

function said(call: Call, id: string, interpretation: Interpretation): Partial<Observation> | undefined {
  const { operationId, status, body, isBroken, refusal } = call
  const refused =
    refusal &&
    refusals[`${operationId} ${refusal.name}`]?.({ ...call, id, body: undefined as never }, interpretation)
  if (refused || (refusal?.name === 'client-not-found' && status === 400))
    return refused ?? { shows: service(id, { client: false }) }
  const kind = readsRecord[operationId]
  const isEmpty = status === 200 && !isBroken && isNothing(body)
  if (kind && (status === 404 || status === 422 || isEmpty)) return { shows: record(kind, id, false) }
  if (status !== 200 || (isBroken && !changes[operationId])) return undefined
  const usable = isBroken ? {} : body // an empty body is a response of its own
  return successes[operationId as OperationId]?.({ ...call, id, body: usable as never }, interpretation)
}

/** Refusals that imply that all earlier checks succeeded */
const refusals: Readonly<Record<string, Read>> = {
  'updateService ip-already-bound': ({ id }) => ({
    shows: service(id, { ...updatable, product_type: 'fpr' }),
  }),
  'updateService update-list-throttled': ({ id, refusal }, { interval, assumptions }) => {
    // The time in the message is one interval after the last update.
    const last = instantIn(refusal?.filled['timestamp'], assumptions.timeZone) - interval * 1000
    return { shows: service(id, { ...updatable, ...(last && { list_updated_at: toIsoString(last) }) }) }
  },
  'orderService insufficient-funds': ({ id, asked }) => ({
    shows: new Map([...record('products', id), ...record('clients', asked['clientid'])]),
  }),
}

const updatable = { status: 'Active', client: true }

/** Operations whose success shows what they changed, whatever the shape of the response */
const changes: Readonly<Record<string, boolean>> = {
  updateService: true,
  rotateStickySession: true,
  changeStickyTtl: true,
  resetStickySessions: true,
}

/** Operations that read one record, and return nothing without it */
const readsRecord: Partial<Record<string, Kind>> = {
  getProduct: 'products',
  getService: 'services',
  getInvoice: 'invoices',
}

/** The facts that a success shows. An operation that isn't here shows none. */
const successes: { readonly [Op in OperationId]?: Read } = {
  listClients: ({ body }) => listed('clients', body, 'id'),
  listProducts: ({ body }, interpretation) => products(body, interpretation),
  listProductsOrderedBy: ({ body }, interpretation) => products(body, interpretation),
  getProduct: ({ id, body }) => {
    const { productId: _, geo, ...product } = body as Bag
    return { shows: record('products', id, { ...product, geo: countries(geo) }) }
  },
  getCredit: ({ body: { credit } }) => ({ shows: new Map(credit === undefined ? [] : [['credit', credit]]) }),
  listInvoices: ({ body }) => listed('invoices', (body as Bag[]).map(invoice), 'id'),
  getInvoice: ({ id, body }) => {
    const { id: _, ...fields } = invoice((body as Bag[])[0] ?? {})
    return { shows: record('invoices', id, fields) }
  },
  listServices: ({ body }) => listed('services', body, 'service_id'),
  getService: ({ id, body }) => {
    const { service_id: _, ...fields } = body as Bag
    const isUnbound = !Object.hasOwn(fields, 'bindedip') && fields['product_type'] === 'fpr'
    return { shows: service(id, { ...fields, ...(isUnbound && { bindedip: '' }) }) }
  },
  getStats: ({ id, body }, { assumptions }) => {
    const days = (body as Bag[]).filter(({ date, rate }) => date !== undefined && rate !== undefined)
    const stats = Object.fromEntries(days.map(({ date, rate }) => [date, rate]))
    return { shows: service(id, { ...rotating(assumptions, body), 'usage/stats': stats }) }
  },
  getRate: ({ id, body }, { assumptions }) => {
    const [{ limit, rate } = { limit: 'none' } as Bag] = body as Bag[]
    return {
      shows: service(id, { ...rotating(assumptions, body), 'usage/limit': limit, 'usage/rate': rate }),
    }
  },
  getNetworkErrors: ({ id, body }) => ({ shows: service(id, { client: true, errors: body }) }),
  getNetworkInactive: ({ id, body }) => ({ shows: service(id, { client: true, inactive: body }) }),
  getIpList: ({ id, path: { typel = '' }, body }) => {
    const entries = (body as unknown[]).flatMap(ipEntry)
    const [first] = entries
    const isRotating = typel.startsWith('ppr')
    return {
      shows: service(id, {
        status: 'Active',
        product_type: isRotating ? 'ppr' : 'fpr',
        ...(first && { ...first.login, ips: entries.map(({ ip }) => ip) }),
        ...(first && !isRotating && { ip_count: entries.length }),
      }),
    }
  },
  orderService: ({ id, path, asked, body }) => {
    const { serviceId, orderId, invoiceId, amount } = body as Record<string, number | undefined>
    const { clientid, setip } = asked
    const bound = typeof setip === 'string' ? { bindedip: setip } : {}
    const fields = { client: Number(clientid), product: Number(path['pid']), price: amount, orderid: orderId }
    const sets: [string, unknown][] = []
    if (serviceId !== undefined) sets.push(...record('services', serviceId, { ...fields, ...bound }))
    if (invoiceId !== undefined) sets.push(...record('invoices', invoiceId, { serviceid: serviceId, amount }))
    const type = setip === undefined ? {} : { product_type: 'fpr' }
    return {
      shows: new Map([
        ...record('products', id, { price: amount, ...type }),
        ...record('clients', Number(clientid)),
      ]),
      sets: new Map(sets),
      changedPaths: ['credit', `services/${serviceId}`, `invoices/${invoiceId}`],
      next: defined({ service: serviceId, order: orderId, invoice: invoiceId }),
    }
  },
  updateService: ({ id, asked: { setip, update_list, password }, at }) => {
    const isList = update_list === 'true'
    const sets: Bag = {
      ...(typeof setip === 'string' && { bindedip: setip }),
      ...(typeof password === 'string' && { password: fromBase64(password) }),
      ...(isList && { list_updated_at: toIsoString(at) }),
    }
    const type = setip === undefined ? {} : { product_type: 'fpr' }
    const due = isList ? { list_updated_at: null } : {} // the last update was long ago, or there was none
    return {
      shows: service(id, { ...updatable, ...type, ...due }),
      sets: record('services', id, sets),
      changedPaths: [...Object.keys(sets), ...(isList ? ['ips'] : [])].map(
        (name) => `services/${id}/${name}`,
      ),
    }
  },
  listStickySessions: ({ id, body }, { assumptions }) => {
    const sessions = (body as Bag[]).flatMap((one) => sticky(one, assumptions))
    const [first] = body as Bag[]
    const alive = first && { status: 'Active', product_type: 'ppr', 'sticky/ttl': first['ttl'] }
    const isWhole = sessions.length === (body as Bag[]).length
    return { shows: service(id, { ...alive, ...(isWhole && { 'sticky/sessions': sessions }) }) }
  },
  rotateStickySession: ({ id, path: { server, session }, body, at }) => {
    const shown: Bag = isObject(body) ? body : {}
    const since = toIsoString(at)
    const renewed = { server, session, ip: shown['ip'] ?? '198.18.0.1', rotations: 0, since }
    return {
      shows: service(id, { ...active, 'sticky/ttl': shown['ttl'], 'sticky/session': renewed }),
      sets: record('services', id, { 'sticky/session': renewed }),
      changedPaths: [],
    }
  },
  changeStickyTtl: ({ id, path: { ttl }, body }) => {
    if (isNothing(body)) return { shows: service(id) }
    const sets = record('services', id, { 'sticky/ttl': Number(ttl) })
    return { shows: service(id, active), sets, changedPaths: [`services/${id}/sticky/ttl`] }
  },
  resetStickySessions: ({ id, body }) => {
    if (isNothing(body)) return { shows: service(id) }
    const path = `services/${id}/sticky/sessions`
    return { shows: service(id, active), sets: new Map([[path, []]]), changedPaths: [path] }
  },
}

const active = { status: 'Active', product_type: 'ppr' }

function isNothing(body: unknown): boolean {
  return body === undefined || (Array.isArray(body) && body.length === 0)
}

export function isId(value: unknown): boolean {
  return /^[1-9][0-9]{0,9}$/.test(String(value))
}

/** The facts of a record. @param fields undefined ones violate the contract */
function record(kind: Kind, id: unknown, fields: Bag | boolean = true): Map<string, unknown> {
  const path = `${kind}/${String(id)}`
  if (typeof fields === 'boolean') return new Map([[path, fields]])
  const own = Object.entries(fields).filter(([, value]) => value !== undefined)
  return new Map<string, unknown>([
    [path, true],
    ...own.map(([name, value]): [string, unknown] => [`${path}/${name}`, value]),
  ])
}

function service(id: string, fields: Bag = {}): Facts {
  return record('services', id, fields)
}

function listed(kind: Kind, body: readonly Bag[], key: string, more: Bag = {}): Partial<Observation> {
  const whole = body.filter((item) => isId(item?.[key]))
  const shows = whole.flatMap(({ [key]: id, ...fields }) => [...record(kind, id, { ...fields, ...more })])
  return { shows: new Map(shows), lists: whole.length === body.length ? kind : undefined }
}

function products(body: readonly Bag[], { assumptions }: Interpretation): Partial<Observation> {
  const isVisible = assumptions.hiddenProducts === 'unlisted'
  const more = isVisible ? { product_hidden: false, group_hidden: false } : {}
  return listed('products', body, 'productId', more)
}

/** Country codes, given as codes or as objects that contain one */
function countries(geo: unknown): unknown {
  if (!Array.isArray(geo)) return undefined
  const isCode = (one: unknown): boolean => /^[A-Z]{2}$/.test(String(one))
  const codes = geo.map((item: unknown) => (isObject(item) ? Object.values(item).find(isCode) : item))
  return codes.every(isCode) ? codes : undefined
}

/** An invoice with null for dates that aren't set, however the service represents those. */
function invoice(fields: Bag): Bag {
  const dates = ['date_paid', 'date_refunded'].map((name) => {
    const isBroken = Object.hasOwn(fields, name) && fields[name] === undefined
    const isUnset = [undefined, null, '', '0000-00-00'].includes(fields[name] as never)
    return [name, isBroken ? undefined : isUnset ? null : fields[name]]
  })
  return { ...fields, ...Object.fromEntries(dates) }
}

/** Only a rotating service has usage, unless the others have empty usage. */
function rotating({ usageOfFpr }: Assumptions, body: readonly unknown[]): Bag {
  return usageOfFpr === 'empty' && body.length === 0 ? {} : { product_type: 'ppr' }
}

/** A session, if it has our form */
function sticky({ server, session, ip, ttl, expires_at }: Bag, { timeZone }: Assumptions): Bag[] {
  const since = instantIn(expires_at, timeZone) - Number(ttl) * 60_000
  if (Number.isNaN(since) || server === undefined || session === undefined) return []
  return [{ server, session, ip, rotations: 0, since: toIsoString(since) }]
}

/** The instant in a response, in the contract's form or in ISO 8601; NaN if there is none */
export function instantIn(text: unknown, zone: TimeZone): Instant {
  return parseDateTime(String(text).slice(0, 19).replace('T', ' '), zone)
}

export const anyAddress = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/g

/** An entry of an IP list, in any layout */
function ipEntry(entry: unknown): { ip: unknown; login: Bag }[] {
  const texts = isObject(entry) ? Object.values(entry) : (String(entry).match(anyAddress) ?? [])
  const ip = texts.find((one) => isIPv4(String(one)))
  const { username, password } = (isObject(entry) ? entry : (ipLineOf(String(entry))?.login ?? {})) as Bag
  return ip === undefined ? [] : [{ ip, login: { username, password } }]
}

function defined(ids: Record<string, number | undefined>): Partial<NextIds> {
  return Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== undefined))
}

import type { OperationId } from '../../../contract/cases.gen.ts'
import { fromBase64 } from '../../../lib/base64.ts'
import { pickDefined } from '../../../lib/json.ts'
import {
  isObject,
  type Instant,
  toIsoString,
  parseDateTime,
  type TimeZone,
  type Kind,
  type NextIds,
  type Assumptions,
} from '../../simulator.ts'
import { isIPv4 } from 'node:net'
import { parseIpLine } from './ipLine.ts'

/*
 * The facts about an account's records in an exchange. Nothing is inferred: a fact is either shown by a response, or
 * required for the call's success.
 */

/**
 * Path → value. Paths are `credit`, `services/5001` (true if it exists), `services/5001/status`, `services/5001/sticky/ttl`… The value
 * of `client` is an id, or a boolean if only its existence is known. Null means that the record has no such field.
 */
export type Facts = ReadonlyMap<string, unknown>

export interface Observation {
  /** Facts about the state before the exchange */
  shownFacts: Facts
  /** Facts that became true with the exchange */
  newFacts: Facts
  /** The paths that the exchange changed; each includes all paths below it */
  changedPaths: readonly string[]
  /** The kind of records that the response lists completely: no others exist */
  listedKind?: Kind | undefined
  /** The ids that the service assigned */
  next?: Partial<NextIds>
  /** Paths of facts that an override alters in the response */
  alteredPaths?: readonly string[]
}

/** An exchange in the form that facts are read from. */
export interface ObservedCall {
  operationId: string
  path: Readonly<Record<string, string>>
  /** The JSON body of the request */
  requestBody: Fields
  status: number
  /** The response body without the values that violate the contract: parsed JSON, with digits as numbers, or a list of lines */
  body: unknown
  /** Whether no part of the response is usable */
  isBroken: boolean
  /** The case of a refusal, with the values of its variable parts */
  refusal: { name: string; variables: Readonly<Record<string, string>> } | undefined
  at: Instant
}

/** The interpretations that affect the meaning of a response */
export interface Interpretation {
  assumptions: Assumptions
  /** Seconds between two updates of a list */
  interval: number
}

/** Returns a key that is equal for interpretations under which every response means the same. */
export function interpretationKey({ assumptions, interval }: Interpretation): string {
  const { hiddenProducts, usageOfFpr, timeZone } = assumptions
  return [hiddenProducts, usageOfFpr, timeZone, interval].join(' ')
}

/** Whether the response of a call depends on the time */
export function dependsOnTime(operationId: string, requestBody: Fields): boolean {
  return /StickySessions?$/.test(operationId) || requestBody['update_list'] === 'true'
}

type Fields = Readonly<Record<string, unknown>>
type ReadFacts = (
  call: ObservedCall & { id: string; body: never },
  interpretation: Interpretation,
) => Partial<Observation>

/** Fields that identify a list item, in order of precedence. */
export const itemKeys = [
  ['service_id'],
  ['productId'],
  ['id'],
  ['server', 'session'],
  ['date'],
  ['code'],
  ['ip'],
]

/** Whether traffic changes a field, so that earlier values prove nothing. */
export function isVolatile(path: string): boolean {
  return /^services\/\d+\/(?:usage|errors|inactive)(?:\/|$)/.test(path)
}

export function observe(call: ObservedCall, interpretation: Interpretation): Observation {
  const id = call.path['id'] ?? call.path['pid'] ?? ''
  const isValidId = id === '' || isId(id)
  return {
    shownFacts: new Map(),
    newFacts: new Map(),
    changedPaths: [],
    ...(isValidId && readFacts(call, id, interpretation)),
  }
}

function readFacts(
  call: ObservedCall,
  id: string,
  interpretation: Interpretation,
): Partial<Observation> | undefined {
  const { operationId, status, body, isBroken, refusal } = call
  const refused =
    refusal &&
    refusalFacts[`${operationId} ${refusal.name}`]?.(
      { ...call, id, body: undefined as never },
      interpretation,
    )
  if (refused || (refusal?.name === 'client-not-found' && status === 400))
    return refused ?? { shownFacts: serviceFacts(id, { client: false }) }
  const kind = readsRecord[operationId]
  const isEmpty = status === 200 && !isBroken && isEmptyBody(body)
  if (kind && (status === 404 || status === 422 || isEmpty))
    return { shownFacts: recordFacts(kind, id, false) }
  if (status !== 200 || (isBroken && !impliesChange[operationId])) return undefined
  const usable = isBroken ? {} : body // undefined would mean an empty body
  return successFacts[operationId as OperationId]?.({ ...call, id, body: usable as never }, interpretation)
}

/** Functions that read facts from refusals, by operation and case. A refusal implies that all earlier checks succeeded. */
const refusalFacts: Readonly<Record<string, ReadFacts>> = {
  'updateService ip-already-bound': ({ id }) => ({
    shownFacts: serviceFacts(id, { ...updatableService, product_type: 'fpr' }),
  }),
  'updateService update-list-throttled': ({ id, refusal }, { interval, assumptions }) => {
    // The time in the message is one interval after the last update.
    const last = parseTime(refusal?.variables['timestamp'], assumptions.timeZone) - interval * 1000
    return {
      shownFacts: serviceFacts(id, {
        ...updatableService,
        ...(last && { list_updated_at: toIsoString(last) }),
      }),
    }
  },
  'orderService insufficient-funds': ({ id, requestBody }) => ({
    shownFacts: new Map([...recordFacts('products', id), ...recordFacts('clients', requestBody['clientid'])]),
  }),
}

const updatableService = { status: 'Active', client: true }

/** Operations whose success implies their changes, even if the response is unusable */
const impliesChange: Readonly<Record<string, boolean>> = {
  updateService: true,
  rotateStickySession: true,
  changeStickyTtl: true,
  resetStickySessions: true,
}

/** Operations that read one record → its kind. If the record doesn't exist, they fail or return nothing. */
const readsRecord: Partial<Record<string, Kind>> = {
  getProduct: 'products',
  getService: 'services',
  getInvoice: 'invoices',
}

/** Read facts from successful responses. Responses of other operations show none. */
const successFacts: { readonly [Op in OperationId]?: ReadFacts } = {
  listClients: ({ body }) => listedFacts('clients', body, 'id'),
  listProducts: ({ body }, interpretation) => productFacts(body, interpretation),
  listProductsOrderedBy: ({ body }, interpretation) => productFacts(body, interpretation),
  getProduct: ({ id, body }) => {
    const { productId: _, geo, ...product } = body as Fields
    return { shownFacts: recordFacts('products', id, { ...product, geo: readCountries(geo) }) }
  },
  getCredit: ({ body: { credit } }) => ({
    shownFacts: new Map(credit === undefined ? [] : [['credit', credit]]),
  }),
  listInvoices: ({ body }) => listedFacts('invoices', (body as Fields[]).map(normalizeInvoice), 'id'),
  getInvoice: ({ id, body }) => {
    const { id: _, ...fields } = normalizeInvoice((body as Fields[])[0] ?? {})
    return { shownFacts: recordFacts('invoices', id, fields) }
  },
  listServices: ({ body }) => listedFacts('services', body, 'service_id'),
  getService: ({ id, body }) => {
    const { service_id: _, ...fields } = body as Fields
    const isUnbound = !Object.hasOwn(fields, 'bindedip') && fields['product_type'] === 'fpr'
    return { shownFacts: serviceFacts(id, { ...fields, ...(isUnbound && { bindedip: '' }) }) }
  },
  getStats: ({ id, body }, { assumptions }) => {
    const days = (body as Fields[]).filter(({ date, rate }) => date !== undefined && rate !== undefined)
    const stats = Object.fromEntries(days.map(({ date, rate }) => [date, rate]))
    return { shownFacts: serviceFacts(id, { ...rotatingFields(assumptions, body), 'usage/stats': stats }) }
  },
  getRate: ({ id, body }, { assumptions }) => {
    const [{ limit, rate } = { limit: 'none' } as Fields] = body as Fields[]
    return {
      shownFacts: serviceFacts(id, {
        ...rotatingFields(assumptions, body),
        'usage/limit': limit,
        'usage/rate': rate,
      }),
    }
  },
  getNetworkErrors: ({ id, body }) => ({ shownFacts: serviceFacts(id, { client: true, errors: body }) }),
  getNetworkInactive: ({ id, body }) => ({ shownFacts: serviceFacts(id, { client: true, inactive: body }) }),
  getIpList: ({ id, path: { typel = '' }, body }) => {
    const entries = (body as unknown[]).flatMap(parseIpEntry)
    const [first] = entries
    const isRotating = typel.startsWith('ppr')
    return {
      shownFacts: serviceFacts(id, {
        status: 'Active',
        product_type: isRotating ? 'ppr' : 'fpr',
        ...(first && { ...first.login, ips: entries.map(({ ip }) => ip) }),
        ...(first && !isRotating && { ip_count: entries.length }),
      }),
    }
  },
  orderService: ({ id, path, requestBody, body }) => {
    const { serviceId, orderId, invoiceId, amount } = body as Record<string, number | undefined>
    const { clientid, setip } = requestBody
    const bound = typeof setip === 'string' ? { bindedip: setip } : {}
    const fields = { client: Number(clientid), product: Number(path['pid']), price: amount, orderid: orderId }
    const newFacts: [string, unknown][] = []
    if (serviceId !== undefined) newFacts.push(...recordFacts('services', serviceId, { ...fields, ...bound }))
    if (invoiceId !== undefined)
      newFacts.push(...recordFacts('invoices', invoiceId, { serviceid: serviceId, amount }))
    const type = setip === undefined ? {} : { product_type: 'fpr' }
    return {
      shownFacts: new Map([
        ...recordFacts('products', id, { price: amount, ...type }),
        ...recordFacts('clients', Number(clientid)),
      ]),
      newFacts: new Map(newFacts),
      changedPaths: ['credit', `services/${serviceId}`, `invoices/${invoiceId}`],
      next: pickDefined({ service: serviceId, order: orderId, invoice: invoiceId }),
    }
  },
  updateService: ({ id, requestBody: { setip, update_list, password }, at }) => {
    const updatesList = update_list === 'true'
    const newFacts: Fields = {
      ...(typeof setip === 'string' && { bindedip: setip }),
      ...(typeof password === 'string' && { password: fromBase64(password) }),
      ...(updatesList && { list_updated_at: toIsoString(at) }),
    }
    const type = setip === undefined ? {} : { product_type: 'fpr' }
    const due = updatesList ? { list_updated_at: null } : {} // the last update was long ago, or there was none
    return {
      shownFacts: serviceFacts(id, { ...updatableService, ...type, ...due }),
      newFacts: recordFacts('services', id, newFacts),
      changedPaths: [...Object.keys(newFacts), ...(updatesList ? ['ips'] : [])].map(
        (name) => `services/${id}/${name}`,
      ),
    }
  },
  listStickySessions: ({ id, body }, { assumptions }) => {
    const sessions = (body as Fields[]).flatMap((one) => readSession(one, assumptions))
    const [first] = body as Fields[]
    const activeFields = first && { status: 'Active', product_type: 'ppr', 'sticky/ttl': first['ttl'] }
    const isComplete = sessions.length === (body as Fields[]).length
    return {
      shownFacts: serviceFacts(id, { ...activeFields, ...(isComplete && { 'sticky/sessions': sessions }) }),
    }
  },
  rotateStickySession: ({ id, path: { server, session }, body, at }) => {
    const shown: Fields = isObject(body) ? body : {}
    const since = toIsoString(at)
    const renewed = { server, session, ip: shown['ip'] ?? '198.18.0.1', rotations: 0, since }
    return {
      shownFacts: serviceFacts(id, {
        ...activeRotatingService,
        'sticky/ttl': shown['ttl'],
        'sticky/session': renewed,
      }),
      newFacts: recordFacts('services', id, { 'sticky/session': renewed }),
      changedPaths: [],
    }
  },
  changeStickyTtl: ({ id, path: { ttl }, body }) => {
    if (isEmptyBody(body)) return { shownFacts: serviceFacts(id) }
    const newFacts = recordFacts('services', id, { 'sticky/ttl': Number(ttl) })
    return {
      shownFacts: serviceFacts(id, activeRotatingService),
      newFacts,
      changedPaths: [`services/${id}/sticky/ttl`],
    }
  },
  resetStickySessions: ({ id, body }) => {
    if (isEmptyBody(body)) return { shownFacts: serviceFacts(id) }
    const path = `services/${id}/sticky/sessions`
    return {
      shownFacts: serviceFacts(id, activeRotatingService),
      newFacts: new Map([[path, []]]),
      changedPaths: [path],
    }
  },
}

const activeRotatingService = { status: 'Active', product_type: 'ppr' }

function isEmptyBody(body: unknown): boolean {
  return body === undefined || (Array.isArray(body) && body.length === 0)
}

export function isId(value: unknown): boolean {
  return /^[1-9][0-9]{0,9}$/.test(String(value))
}

/** The facts about a record. @param fields its fields, undefined where the response violated the contract; or whether it exists */
function recordFacts(kind: Kind, id: unknown, fields: Fields | boolean = true): Map<string, unknown> {
  const path = `${kind}/${String(id)}`
  if (typeof fields === 'boolean') return new Map([[path, fields]])
  const facts = Object.entries(fields).filter(([, value]) => value !== undefined)
  return new Map<string, unknown>([
    [path, true],
    ...facts.map(([name, value]): [string, unknown] => [`${path}/${name}`, value]),
  ])
}

function serviceFacts(id: string, fields: Fields = {}): Facts {
  return recordFacts('services', id, fields)
}

function listedFacts(
  kind: Kind,
  body: readonly Fields[],
  key: string,
  addedFields: Fields = {},
): Partial<Observation> {
  const valid = body.filter((item) => isId(item?.[key]))
  const facts = valid.flatMap(({ [key]: id, ...fields }) => [
    ...recordFacts(kind, id, { ...fields, ...addedFields }),
  ])
  return { shownFacts: new Map(facts), listedKind: valid.length === body.length ? kind : undefined }
}

function productFacts(body: readonly Fields[], { assumptions }: Interpretation): Partial<Observation> {
  const isVisible = assumptions.hiddenProducts === 'unlisted'
  const addedFields = isVisible ? { product_hidden: false, group_hidden: false } : {}
  return listedFacts('products', body, 'productId', addedFields)
}

/** Reads country codes, from codes or from objects that contain one. */
function readCountries(geo: unknown): unknown {
  if (!Array.isArray(geo)) return undefined
  const isCode = (one: unknown): boolean => /^[A-Z]{2}$/.test(String(one))
  const codes = geo.map((item: unknown) => (isObject(item) ? Object.values(item).find(isCode) : item))
  return codes.every(isCode) ? codes : undefined
}

/** Sets unset dates of an invoice to null, however the service represents them. */
function normalizeInvoice(fields: Fields): Fields {
  const dates = ['date_paid', 'date_refunded'].map((name) => {
    const isBroken = Object.hasOwn(fields, name) && fields[name] === undefined
    const isUnset = [undefined, null, '', '0000-00-00'].includes(fields[name] as never)
    return [name, isBroken ? undefined : isUnset ? null : fields[name]]
  })
  return { ...fields, ...Object.fromEntries(dates) }
}

/** The product type that a usage response implies. Empty usage implies none if the assumption `usageOfFpr` is `empty`. */
function rotatingFields({ usageOfFpr }: Assumptions, body: readonly unknown[]): Fields {
  return usageOfFpr === 'empty' && body.length === 0 ? {} : { product_type: 'ppr' }
}

/** Reads a session; empty if a field is missing or invalid. */
function readSession({ server, session, ip, ttl, expires_at }: Fields, { timeZone }: Assumptions): Fields[] {
  const since = parseTime(expires_at, timeZone) - Number(ttl) * 60_000
  if (Number.isNaN(since) || server === undefined || session === undefined) return []
  return [{ server, session, ip, rotations: 0, since: toIsoString(since) }]
}

/** Parses a time in a response, in the contract's format or in ISO 8601; NaN if it isn't one. */
export function parseTime(text: unknown, zone: TimeZone): Instant {
  return parseDateTime(String(text).slice(0, 19).replace('T', ' '), zone)
}

export const addressPattern = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/g

/** Parses an entry of an IP list, in any layout. */
function parseIpEntry(entry: unknown): { ip: unknown; login: Fields }[] {
  const texts = isObject(entry) ? Object.values(entry) : (String(entry).match(addressPattern) ?? [])
  const ip = texts.find((one) => isIPv4(String(one)))
  const { username, password } = (
    isObject(entry) ? entry : (parseIpLine(String(entry))?.login ?? {})
  ) as Fields
  return ip === undefined ? [] : [{ ip, login: { username, password } }]
}

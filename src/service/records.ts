import { fraction, letters } from '../world/chance.ts'
import { livingSessions, sessionAddress, type Sticky, type StickySession } from './sticky.ts'
import type { IndexedBy } from '../world/Table.ts'
import { dateOf, dayLength, instantOf, type Instant, type TimeZone } from '../world/time.ts'
import { dueAfter, dueFrom } from './billing.ts'
import type { BillingCycle, InvoiceStatus, ProductType, ServiceStatus } from './values.ts'

/*
 * The records of a world. Each field is described once, here. Types, the schema of scenarios, defaults, the order
 * in exports and the fields of one type are derived from it.
 */

/** The values of each field type; `schema.ts` has the schemas. */
type FieldTypes = Record<
  'boundAddress' | 'date' | 'dateTime' | 'instant' | 'longText' | 'regdate' | 'secret' | 'text',
  string
> &
  Record<'addressCount' | 'count' | 'id' | 'orderId' | 'usd', number> &
  Record<'addresses' | 'countries', string[]> & {
    billingCycle: BillingCycle
    flag: boolean
    invoiceStatus: InvoiceStatus
    productType: ProductType
    serviceStatus: ServiceStatus
    sticky: Sticky
    usage: Usage
  }

export type FieldType = keyof FieldTypes

export interface Usage {
  /** Limit of requests, or of traffic in MB. `none` (no limit) is `null` in scenarios and patches */
  limit: number | 'none'
  /** The usage, if it isn't the sum of `stats` */
  rate?: number
  /** Date (YYYY-MM-DD) → number of requests, or traffic in MB */
  stats: Record<string, number>
}

/** Parts of these types are optional in a description of a record. */
type FieldInputTypes = Omit<FieldTypes, 'sticky' | 'usage'> & {
  sticky: { ttl?: number; sessions?: (Partial<StickySession> & Pick<StickySession, 'server' | 'session'>)[] }
  usage: Partial<Usage>
}

type Bag = Record<string, unknown>

interface Field {
  type: FieldType
  /** Description for editors, if the contract has none */
  description?: string
  isRequired?: true
  /** The type that has it; both types if missing */
  only?: ProductType
  /**
   * If it isn't given, it is this field of what the record belongs to, or else `default`, or else what `fill` makes of the
   * fields before this one, and of those that are given. Without any of them it is absent.
   */
  from?: string
  default?: unknown
  /** The statuses of records that have the field; all statuses if missing */
  while?: readonly string[]
  fill?(this: void, record: Bag, sources: Sources, named: Bag): unknown
  /** Converts a given or default value to its stored form */
  complete?(this: void, value: unknown, sources: Sources, named: Bag): unknown
  /** Converts a stored value to its form in scenarios, if that differs */
  exported?(this: void, value: unknown, now: Instant): unknown
}

/** The inputs of defaults. */
export interface Sources {
  id: string
  seed: number
  now: Instant
  timeZone: TimeZone
  /** The parent record, if it exists: a service's product, an invoice's service */
  owner?: object | undefined
  /** The record before the change, if it existed */
  before?: object | undefined
  /** For services without their own */
  newOrder?: () => number
  newAddress?: () => string
}

function today({ now, timeZone }: Sources): string {
  return dateOf(now, timeZone)
}

type Shape = Readonly<Record<string, Field>>

const clients = {
  email: { type: 'text', fill: (_, { id }) => `client${id}@example.com` },
} as const satisfies Shape

const products = {
  productName: { type: 'text', isRequired: true },
  price: { type: 'usd', isRequired: true },
  groupId: { type: 'id', default: 1 },
  groupName: { type: 'text', fill: ({ groupId }: { groupId: number }) => `Group ${groupId}` },
  created_at: { type: 'date', fill: (_, sources) => today(sources) },
  product_hidden: { type: 'flag', default: false },
  group_hidden: { type: 'flag', default: false },
  product_type: { type: 'productType', isRequired: true },
  ip_count: { type: 'addressCount', only: 'fpr', default: 1 },
  update_time: { type: 'dateTime', only: 'fpr', fill: (_, sources) => `${today(sources)} 00:00:00` },
  geo: { type: 'countries', only: 'fpr', default: ['US'] },
} as const satisfies Shape

const letter = 'abcdefghijkmnpqrstuvwxyz'
const sign = `${letter}ABCDEFGHJKLMNPQRSTUVWXYZ23456789`

const services = {
  client: {
    type: 'id',
    description: 'Client ID. If there is no such client, calls fail with client-not-found.',
    isRequired: true,
  },
  product: {
    type: 'id',
    description: 'Product ID. Fields that the service does not set default to the product’s.',
    isRequired: true,
  },
  orderid: { type: 'orderId', fill: (_, { newOrder }) => newOrder?.() ?? 1 },
  product_name: { type: 'text', from: 'productName', default: '' },
  product_type: { type: 'productType', from: 'product_type', default: 'fpr' },
  price: { type: 'usd', from: 'price', default: 0 },
  status: { type: 'serviceStatus', default: 'Active' },
  billingcycle: {
    type: 'billingCycle',
    fill: ({ price }: { price: number }) => (price === 0 ? 'Free' : 'Monthly'),
  },
  regdate: {
    type: 'regdate',
    fill: ({ billingcycle }: { billingcycle: BillingCycle }, { now, seed, id, timeZone }, { nextduedate }) =>
      typeof nextduedate === 'string'
        ? dueFrom(nextduedate, billingcycle, now, timeZone)
        : dateOf(now - Math.floor(fraction([seed, 'regdate', id]) * 700) * dayLength, timeZone),
  },
  nextduedate: {
    type: 'date',
    fill: (service: { regdate: string; billingcycle: BillingCycle }, { now, timeZone }) =>
      dueAfter(service.regdate, service.billingcycle, now, timeZone),
  },
  username: {
    type: 'secret',
    fill: (_, { seed, id }) => `u${id}${letters(4, letter, [seed, 'username', id])}`,
  },
  password: { type: 'secret', fill: (_, { seed, id }) => letters(12, sign, [seed, 'password', id]) },
  ip_count: {
    type: 'addressCount',
    only: 'fpr',
    from: 'ip_count',
    default: 1,
    // A service needs addresses, so an empty list doesn't determine their number.
    complete: (count: number, _, { ips }: { ips?: string[] }) => ips?.length || count,
  },
  bindedip: { type: 'boundAddress', only: 'fpr', fill: (_, { newAddress }) => newAddress?.() ?? '' },
  ips: {
    type: 'addresses',
    description: 'The addresses of its IP list. Defaults to ip_count addresses generated from the seed.',
  },
  list_version: { type: 'count', description: 'How many updates have replaced the generated list.' },
  list_updated_at: {
    type: 'instant',
    description: 'When the IP list was last updated. The next update is throttled from then on.',
  },
  errors: { type: 'addresses', description: 'Proxy servers in error state (network status).' },
  inactive: { type: 'addresses', description: 'Inactive proxy servers (network status).' },
  usage: {
    type: 'usage',
    description: 'Usage; ppr only.',
    only: 'ppr',
    default: {},
    complete: ({ limit = 10_000, stats = {}, ...rest }: Partial<Usage>) => ({ limit, stats, ...rest }),
    exported: ({ limit, stats, ...rest }: Usage) => ({
      limit: limit === 'none' ? null : limit,
      stats: Object.fromEntries(Object.entries(stats).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      ...rest,
    }),
  },
  sticky: {
    type: 'sticky',
    description: 'Sticky sessions; ppr only.',
    only: 'ppr',
    default: {},
    complete: ({ ttl = 10, sessions = [] }: FieldInputTypes['sticky'], { seed, id, now }) => ({
      ttl,
      sessions: sessions.map(({ server, session, ip, rotations = 0, since = instantOf(now) }) => ({
        server,
        session,
        ip: ip ?? sessionAddress(seed, id, { server, session, rotations }),
        rotations,
        since,
      })),
    }),
    exported: (sticky: Sticky, now) => ({ ...sticky, sessions: livingSessions(sticky, now) }),
  },
} as const satisfies Shape

const invoices = {
  description: { type: 'longText', fill: (_, { owner }) => descriptionOf(owner) },
  status: { type: 'invoiceStatus', default: 'Paid' },
  created_at: { type: 'date', from: 'regdate', fill: (_, sources) => today(sources) },
  amount: { type: 'usd', from: 'price', default: 0 },
  date_refunded: { type: 'date', while: ['Refunded'], fill: (_, sources) => today(sources) },
  date_paid: {
    type: 'date',
    while: ['Paid', 'Refunded'],
    fill: ({ created_at }: { created_at: string }, sources) => (sources.before ? today(sources) : created_at),
  },
  paymentmethod: { type: 'text', default: 'credit' },
  serviceid: { type: 'id', isRequired: true },
} as const satisfies Shape

function descriptionOf(service: Partial<Service> | undefined): string {
  return service ? `${service.product_name}, order ${service.orderid}` : 'Order'
}

/** By kind and name, in the order of the fields in records. */
export const fields = { clients, products, services, invoices }

export type Kind = keyof typeof fields

/** The parts of a world that contain records by id. */
export const kinds = Object.keys(fields) as Kind[]

interface KindDescription {
  /** The first id that is assigned or generated, for the kind and for the kinds that belong to it */
  firstIds: Readonly<Record<string, number>>
  /** Whether operations create such records, so that the next ids are counted */
  isCounted?: true
  /** The fields that are ids of other records, whose kinds stand before this one */
  owners?: Readonly<Record<string, Kind>>
  /** Field by which records are found, besides their id */
  index?: IndexedBy
}

/** Further properties of a kind. */
export const descriptions = {
  clients: { firstIds: { client: 11 } },
  products: { firstIds: { product: 101 } },
  services: {
    firstIds: { service: 5001, order: 7001 },
    isCounted: true,
    owners: { client: 'clients', product: 'products' },
    index: ({ bindedip }: { bindedip?: string }) => bindedip || undefined,
  },
  invoices: { firstIds: { invoice: 9001 }, isCounted: true, owners: { serviceid: 'services' } },
} as const satisfies Record<Kind, KindDescription>

type Descriptions = typeof descriptions

/** The first id of a kind. */
export function firstIdOf(kind: Kind): number {
  const { firstIds }: KindDescription = descriptions[kind]
  return firstIds[nounOf(kind)] as number
}

/** The fields of a kind that are ids of other records, and the kinds of those. */
export function ownersOf(kind: Kind): [field: string, owner: Kind][] {
  const { owners = {} }: KindDescription = descriptions[kind]
  return Object.entries(owners)
}

/** Field by which the records of a kind are found, besides their id. */
export function indexOf(kind: Kind): IndexedBy | undefined {
  const { index }: KindDescription = descriptions[kind]
  return index
}

/** The names of the counted ids: those of records that operations create. */
export type CountedId = {
  [K in Kind]: Descriptions[K] extends { isCounted: true } ? keyof Descriptions[K]['firstIds'] : never
}[Kind]

/** The name of a record of a kind: `service`. */
export function nounOf(kind: Kind): string {
  return kind.slice(0, -1)
}

type Flat<T> = { [Name in keyof T]: T[Name] }

type RequiredNames<S extends Shape> = {
  [Name in keyof S]: S[Name] extends { isRequired: true } ? Name : never
}[keyof S]

/** The fields of every record */
type CertainNames<S extends Shape> = {
  [Name in keyof S]: S[Name] extends { only: ProductType }
    ? never
    : S[Name] extends { while: readonly string[] }
      ? never
      : S[Name] extends
            | { isRequired: true }
            | { default: unknown }
            | { fill: (...given: never[]) => string | number }
        ? Name
        : never
}[keyof S]

type Holding<S extends Shape, Names extends keyof S, All extends Record<FieldType, unknown>> = Flat<
  { -readonly [Name in Names]: All[S[Name]['type']] } & {
    -readonly [Name in Exclude<keyof S, Names>]?: All[S[Name]['type']]
  }
>
type RecordOf<S extends Shape> = Holding<S, CertainNames<S>, FieldTypes>
type InputOf<S extends Shape> = Holding<S, RequiredNames<S>, FieldInputTypes>

export type Product = RecordOf<typeof products>
export type Service = RecordOf<typeof services>
export type Invoice = RecordOf<typeof invoices>
export type ProductInput = InputOf<typeof products>
/** The field that repeats the id in the API: `service_id` */
export type ServiceInput = InputOf<typeof services> & { service_id?: number }
export type InvoiceInput = InputOf<typeof invoices>

/** The records of a world, by kind */
export type Records = { [K in Kind]: RecordOf<(typeof fields)[K]> }

/** The records of a world as somebody describes them, by kind */
export type RecordsInput = {
  [K in Kind]: K extends 'services' ? ServiceInput : InputOf<(typeof fields)[K]>
}

const none = {
  only: undefined,
  while: undefined,
  from: undefined,
  default: undefined,
  fill: undefined,
  complete: undefined,
}

/** All objects have one shape, because filling in records takes most of an order's time */
const entries = Object.fromEntries(
  Object.entries<Shape>(fields).map(([kind, shape]) => [
    kind,
    Object.entries(shape).map(([name, field]) => [name, { ...none, exported: undefined, ...field }]),
  ]),
) as unknown as Record<Kind, [string, Field][]>

/** The names and descriptions of the fields of a kind. */
export function fieldsOf(kind: Kind): readonly [name: string, field: Field][] {
  return entries[kind]
}

/** A complete record, with its fields in order. */
export function fillRecord<K extends Kind>(kind: K, given: object, sources: Sources): Records[K] {
  const named = given as Bag
  const owner = sources.owner as Bag | undefined
  const record: Bag = {}
  for (const [name, { only, while: statuses, from, default: usual, fill, complete }] of entries[kind]) {
    if (only !== undefined && only !== record['product_type']) continue
    if (statuses?.includes(record['status'] as string) === false) continue
    const inherited = from === undefined ? undefined : owner?.[from]
    const value = named[name] ?? inherited ?? usual ?? fill?.(record, sources, named)
    if (value === undefined || value === null) continue
    record[name] = complete ? complete(value, sources, named) : value
  }
  return record as Records[K]
}

/** The record in the form of scenarios at a time. Its fields are always in the same order. */
export function inOrder<K extends Kind>(kind: K, record: Records[K], now: Instant = 0): Records[K] {
  const ordered: Bag = {}
  for (const [name, { exported }] of entries[kind]) {
    const value = (record as Bag)[name]
    if (value !== undefined) ordered[name] = exported ? exported(value, now) : value
  }
  return ordered as Records[K]
}

import { fraction, letters } from './chance.ts'
import { sessionAddress } from './sticky.ts'
import { dateOf, dayLength, dueAfter, instantOf, type Instant } from './time.ts'
import type { NamedClient, NamedInvoice, NamedProduct, NamedService } from './NamedWorld.ts'
import type { ProductType } from './values.ts'
import type { Client, Invoice, Kind, Product, Records, Service, Usage } from './World.ts'

/*
 * The fields of the records of a world: each is described here, once. The schema of scenarios, defaults, the order in
 * exports and the fields of one type only follow from it. A field that is missing here is a compile error.
 */

/** What a field holds; `scenario/schema.ts` says what is valid for each. */
export type Form =
  | 'addresses'
  | 'addressCount'
  | 'billingCycle'
  | 'boundAddress'
  | 'count'
  | 'countries'
  | 'date'
  | 'dateTime'
  | 'flag'
  | 'id'
  | 'instant'
  | 'invoiceStatus'
  | 'longText'
  | 'orderId'
  | 'productType'
  | 'regdate'
  | 'secret'
  | 'serviceStatus'
  | 'sticky'
  | 'text'
  | 'usage'
  | 'usd'

interface Field<R, Named, Sources, K extends keyof R = keyof R> {
  form: Form
  /** For editors */
  about: string
  isRequired?: true
  /** The type that has it; both types if not given */
  only?: ProductType
  /**
   * Completes what is given, or makes a default. Without, it is as given, or absent.
   * @param record the fields before this one
   */
  fill?: (named: Named, sources: Sources, record: R) => R[K]
  /** In another order than it may have come about */
  sort?: (value: NonNullable<R[K]>) => R[K]
}

type Fields<R, Named, Sources> = { [K in keyof R]-?: Field<R, Named, Sources, K> }

/** What the defaults of a service are made from. */
export interface ServiceSources {
  id: string
  seed: number
  /** Can be undefined if the service sets everything that would come from it */
  product: Pick<Product, 'productName' | 'product_type' | 'price' | 'ip_count'> | undefined
  now: Instant
  newOrder: () => number
  newAddress: () => string
}

interface InvoiceSources {
  /** Can be missing */
  service: Service | undefined
  now: Instant
}

const letter = 'abcdefghijkmnpqrstuvwxyz'
const sign = `${letter}ABCDEFGHJKLMNPQRSTUVWXYZ23456789`

const clients: Fields<Client, NamedClient, { id: string }> = {
  email: {
    form: 'text',
    about: "The client's e-mail address.",
    fill: ({ email }, { id }) => email ?? `client${id}@example.com`,
  },
}

const products: Fields<Product, NamedProduct, { now: Instant }> = {
  productName: { form: 'text', about: 'Name of the product.', isRequired: true },
  price: { form: 'usd', about: 'USD.', isRequired: true },
  groupId: { form: 'id', about: 'Product group ID.', fill: ({ groupId = 1 }) => groupId },
  groupName: {
    form: 'text',
    about: 'Name of the group.',
    fill: ({ groupName }, _, { groupId }) => groupName ?? `Group ${groupId}`,
  },
  created_at: {
    form: 'date',
    about: 'YYYY-MM-DD.',
    fill: ({ created_at }, { now }) => created_at ?? dateOf(now),
  },
  product_hidden: {
    form: 'flag',
    about: 'Whether the product is left out of the lists.',
    fill: ({ product_hidden = false }) => product_hidden,
  },
  group_hidden: {
    form: 'flag',
    about: 'Whether the group, with all its products, is left out of the lists.',
    fill: ({ group_hidden = false }) => group_hidden,
  },
  product_type: {
    form: 'productType',
    about: 'fpr: static proxies; ppr: rotating proxies.',
    isRequired: true,
  },
  ip_count: {
    form: 'addressCount',
    about: 'Number of addresses; fpr only.',
    only: 'fpr',
    fill: ({ ip_count = 1 }) => ip_count,
  },
  update_time: {
    form: 'dateTime',
    about: 'YYYY-MM-DD HH:MM:SS; fpr only.',
    only: 'fpr',
    fill: ({ update_time }, { now }) => update_time ?? `${dateOf(now)} 00:00:00`,
  },
  geo: {
    form: 'countries',
    about: 'Country codes (ISO 3166-1, two capital letters); fpr only.',
    only: 'fpr',
    fill: ({ geo = ['US'] }) => geo,
  },
}

const services: Fields<Service, NamedService, ServiceSources> = {
  client: {
    form: 'id',
    about: 'Client ID. If there is no such client, calls fail with client-not-found.',
    isRequired: true,
  },
  product: {
    form: 'id',
    about: 'Product ID. Fields that the service does not set default to the product’s.',
    isRequired: true,
  },
  orderid: {
    form: 'orderId',
    about: 'Order ID.',
    fill: ({ orderid }, { newOrder }) => orderid ?? newOrder(),
  },
  product_name: {
    form: 'text',
    about: 'Name of the product.',
    fill: ({ product_name }, { product }) => product_name ?? product?.productName ?? '',
  },
  product_type: {
    form: 'productType',
    about: 'Type, if it differs from the product’s.',
    fill: ({ product_type }, { product }) => product_type ?? product?.product_type ?? 'fpr',
  },
  price: { form: 'usd', about: 'USD.', fill: ({ price }, { product }) => price ?? product?.price ?? 0 },
  status: {
    form: 'serviceStatus',
    about: 'Status. Defaults to Active.',
    fill: ({ status = 'Active' }) => status,
  },
  billingcycle: {
    form: 'billingCycle',
    about: 'Billing cycle. Defaults to Monthly.',
    fill: ({ billingcycle }, _, { price }) => billingcycle ?? (price === 0 ? 'Free' : 'Monthly'),
  },
  regdate: {
    form: 'regdate',
    about: 'Day of registration, YYYY-MM-DD.',
    fill: ({ regdate }, { now, seed, id }) =>
      regdate ?? dateOf(now - Math.floor(fraction([seed, 'regdate', id]) * 700) * dayLength),
  },
  nextduedate: {
    form: 'date',
    about: 'Next due date, YYYY-MM-DD.',
    fill: ({ nextduedate }, { now }, { regdate, billingcycle }) =>
      nextduedate ?? dueAfter(regdate, billingcycle, dateOf(now)),
  },
  username: {
    form: 'secret',
    about: 'Proxy username.',
    fill: ({ username }, { seed, id }) => username ?? `u${id}${letters(4, letter, [seed, 'username', id])}`,
  },
  password: {
    form: 'secret',
    about: 'Proxy password.',
    fill: ({ password }, { seed, id }) => password ?? letters(12, sign, [seed, 'password', id]),
  },
  ip_count: {
    form: 'addressCount',
    about: 'Number of addresses; fpr only.',
    only: 'fpr',
    // There is no service of no addresses: an empty list says nothing of the number.
    fill: ({ ip_count, ips }, { product }) => ips?.length || (ip_count ?? product?.ip_count ?? 1),
  },
  bindedip: {
    form: 'boundAddress',
    about: 'Bound IPv4 address, empty if none is bound; fpr only.',
    only: 'fpr',
    fill: ({ bindedip }, { newAddress }) => bindedip ?? newAddress(),
  },
  ips: {
    form: 'addresses',
    about: 'The addresses of its IP list. Defaults to ip_count addresses generated from the seed.',
  },
  list_version: { form: 'count', about: 'How many updates have replaced the generated list.' },
  list_updated_at: {
    form: 'instant',
    about: 'When the IP list was last updated. The next update is throttled from then on.',
  },
  errors: { form: 'addresses', about: 'Proxy servers in error state (network status).' },
  inactive: { form: 'addresses', about: 'Inactive proxy servers (network status).' },
  usage: {
    form: 'usage',
    about: 'Usage; ppr only.',
    only: 'ppr',
    fill: ({ usage: { limit = 10_000, stats = {}, rate } = {} }) => ({
      limit,
      stats,
      ...(rate !== undefined && { rate }),
    }),
    // As scenarios say it
    sort: ({ limit, stats, ...rest }) =>
      ({ limit: limit === 'none' ? null : limit, stats: byDate(stats), ...rest }) as Usage,
  },
  sticky: {
    form: 'sticky',
    about: 'Sticky sessions; ppr only.',
    only: 'ppr',
    fill: ({ sticky: { ttl = 10, sessions = [] } = {} }, { seed, id, now }) => ({
      ttl,
      sessions: sessions.map(({ server, session, ip, rotations = 0, since = instantOf(now) }) => ({
        server,
        session,
        ip: ip ?? sessionAddress(seed, id, { server, session, rotations }),
        rotations,
        since,
      })),
    }),
  },
}

const invoices: Fields<Invoice, NamedInvoice, InvoiceSources> = {
  serviceid: { form: 'id', about: 'Service ID.', isRequired: true },
  status: {
    form: 'invoiceStatus',
    about: 'Status. Defaults to Paid.',
    fill: ({ status = 'Paid' }) => status,
  },
  created_at: {
    form: 'date',
    about: 'YYYY-MM-DD.',
    fill: ({ created_at }, { service, now }) => created_at ?? service?.regdate ?? dateOf(now),
  },
  description: {
    form: 'longText',
    about: 'Text.',
    fill: ({ description, serviceid }, { service }) =>
      description ?? (service ? `${service.product_name}, order ${service.orderid}` : `Service ${serviceid}`),
  },
  amount: {
    form: 'usd',
    about: 'USD. Defaults to the price of the service.',
    fill: ({ amount }, { service }) => amount ?? service?.price ?? 0,
  },
  paymentmethod: {
    form: 'text',
    about: 'Payment method.',
    fill: ({ paymentmethod = 'credit' }) => paymentmethod,
  },
  date_paid: {
    form: 'date',
    about: 'YYYY-MM-DD.',
    fill: ({ date_paid }, _, { status, created_at }) =>
      date_paid ?? (status === 'Paid' || status === 'Refunded' ? created_at : undefined),
  },
  date_refunded: {
    form: 'date',
    about: 'YYYY-MM-DD.',
    fill: ({ date_refunded }, { now }, { status }) =>
      date_refunded ?? (status === 'Refunded' ? dateOf(now) : undefined),
  },
}

/** By kind of record and name, in the order in which records have them. */
export const fields = { clients, products, services, invoices } satisfies Record<Kind, object>

type AnyField = Field<Record<string, unknown>, Record<string, unknown>, object>

/** The names and descriptions of the fields of a kind. */
export function fieldsOf(kind: Kind): readonly [name: string, field: AnyField][] {
  return entries[kind]
}

const entries = Object.fromEntries(
  Object.entries(fields).map(([kind, all]) => [kind, Object.entries(all)]),
) as unknown as Record<Kind, [string, AnyField][]>

/** A complete record, with its fields in order. */
export function fillRecord<K extends Kind>(kind: K, named: object, sources: SourcesOf<K>): Records[K] {
  const given = named as Record<string, unknown>
  const record: Record<string, unknown> = {}
  for (const [name, { only, fill }] of entries[kind]) {
    if (only !== undefined && only !== record['product_type']) continue
    const value = fill ? fill(given, sources as object, record) : given[name]
    if (value !== undefined) record[name] = value
  }
  return record as unknown as Records[K]
}

type SourcesOf<K extends Kind> = (typeof fields)[K] extends Fields<Records[K], never, infer S> ? S : never

/** The record with its fields in order, however they were set. */
export function inOrder<K extends Kind>(kind: K, record: Records[K]): Records[K] {
  const ordered: Record<string, unknown> = {}
  for (const [name, { sort }] of entries[kind]) {
    const value = (record as unknown as Record<string, unknown>)[name]
    if (value !== undefined) ordered[name] = sort ? sort(value as object) : value
  }
  return ordered as unknown as Records[K]
}

function byDate(stats: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(stats).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

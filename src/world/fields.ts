import { fraction, letters } from './chance.ts'
import { sessionAddress } from './sticky.ts'
import { dateOf, dayLength, dueAfter, instantOf, type Instant } from './time.ts'
import type { NamedProduct, NamedRecords } from './NamedWorld.ts'
import type { ProductType } from './values.ts'
import type { Kind, Records, Service, Usage } from './World.ts'

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

interface Field<R, Named, From, Name extends keyof R & keyof Named> {
  form: Form
  /** For editors */
  about: string
  isRequired?: true
  /** The type that has it; both types if not given */
  only?: ProductType
  /** If it isn't given. Without `default` and `fill`, it is absent then. */
  default?: NonNullable<Named[Name]>
  /** Makes the default. @param record the fields before this one */
  fill?: (record: R, sources: From) => Named[Name] | undefined
  /** What is given, or the default, as it is kept */
  complete?: (value: NonNullable<Named[Name]>, named: Named, sources: From) => R[Name]
  /** In another order than it may have come about */
  sort?: (value: NonNullable<R[Name]>) => R[Name]
}

type Fields<K extends Kind> = {
  [Name in keyof Records[K] & keyof NamedRecords[K]]-?: Field<Records[K], NamedRecords[K], Sources[K], Name>
}

/** What defaults are made from. */
interface Sources {
  clients: { id: string }
  products: { now: Instant }
  services: {
    id: string
    seed: number
    /** Can be undefined if the service sets everything that would come from it */
    product: Pick<NamedProduct, 'productName' | 'product_type' | 'price' | 'ip_count'> | undefined
    now: Instant
    newOrder: () => number
    newAddress: () => string
  }
  /** The service can be missing */
  invoices: { service: Service | undefined; now: Instant }
}

const letter = 'abcdefghijkmnpqrstuvwxyz'
const sign = `${letter}ABCDEFGHJKLMNPQRSTUVWXYZ23456789`

const clients: Fields<'clients'> = {
  email: {
    form: 'text',
    about: "The client's e-mail address.",
    fill: (_, { id }) => `client${id}@example.com`,
  },
}

const products: Fields<'products'> = {
  productName: { form: 'text', about: 'Name of the product.', isRequired: true },
  price: { form: 'usd', about: 'USD.', isRequired: true },
  groupId: { form: 'id', about: 'Product group ID.', default: 1 },
  groupName: { form: 'text', about: 'Name of the group.', fill: ({ groupId }) => `Group ${groupId}` },
  created_at: { form: 'date', about: 'YYYY-MM-DD.', fill: (_, { now }) => dateOf(now) },
  product_hidden: { form: 'flag', about: 'Whether the product is left out of the lists.', default: false },
  group_hidden: {
    form: 'flag',
    about: 'Whether the group, with all its products, is left out of the lists.',
    default: false,
  },
  product_type: {
    form: 'productType',
    about: 'fpr: static proxies; ppr: rotating proxies.',
    isRequired: true,
  },
  ip_count: { form: 'addressCount', about: 'Number of addresses; fpr only.', only: 'fpr', default: 1 },
  update_time: {
    form: 'dateTime',
    about: 'YYYY-MM-DD HH:MM:SS; fpr only.',
    only: 'fpr',
    fill: (_, { now }) => `${dateOf(now)} 00:00:00`,
  },
  geo: {
    form: 'countries',
    about: 'Country codes (ISO 3166-1, two capital letters); fpr only.',
    only: 'fpr',
    default: ['US'],
  },
}

const services: Fields<'services'> = {
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
  orderid: { form: 'orderId', about: 'Order ID.', fill: (_, { newOrder }) => newOrder() },
  product_name: {
    form: 'text',
    about: 'Name of the product.',
    fill: (_, { product }) => product?.productName ?? '',
  },
  product_type: {
    form: 'productType',
    about: 'Type, if it differs from the product’s.',
    fill: (_, { product }) => product?.product_type ?? 'fpr',
  },
  price: { form: 'usd', about: 'USD.', fill: (_, { product }) => product?.price ?? 0 },
  status: { form: 'serviceStatus', about: 'Status. Defaults to Active.', default: 'Active' },
  billingcycle: {
    form: 'billingCycle',
    about: 'Billing cycle. Defaults to Monthly.',
    fill: ({ price }) => (price === 0 ? 'Free' : 'Monthly'),
  },
  regdate: {
    form: 'regdate',
    about: 'Day of registration, YYYY-MM-DD.',
    fill: (_, { now, seed, id }) =>
      dateOf(now - Math.floor(fraction([seed, 'regdate', id]) * 700) * dayLength),
  },
  nextduedate: {
    form: 'date',
    about: 'Next due date, YYYY-MM-DD.',
    fill: ({ regdate, billingcycle }, { now }) => dueAfter(regdate, billingcycle, dateOf(now)),
  },
  username: {
    form: 'secret',
    about: 'Proxy username.',
    fill: (_, { seed, id }) => `u${id}${letters(4, letter, [seed, 'username', id])}`,
  },
  password: {
    form: 'secret',
    about: 'Proxy password.',
    fill: (_, { seed, id }) => letters(12, sign, [seed, 'password', id]),
  },
  ip_count: {
    form: 'addressCount',
    about: 'Number of addresses; fpr only.',
    only: 'fpr',
    fill: (_, { product }) => product?.ip_count ?? 1,
    // There is no service of no addresses: an empty list says nothing of the number.
    complete: (count, { ips }) => ips?.length || count,
  },
  bindedip: {
    form: 'boundAddress',
    about: 'Bound IPv4 address, empty if none is bound; fpr only.',
    only: 'fpr',
    fill: (_, { newAddress }) => newAddress(),
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
    default: {},
    complete: ({ limit = 10_000, stats = {}, ...rest }) => ({ limit, stats, ...rest }),
    // As scenarios say it
    sort: ({ limit, stats, ...rest }) =>
      ({ limit: limit === 'none' ? null : limit, stats: byDate(stats), ...rest }) as Usage,
  },
  sticky: {
    form: 'sticky',
    about: 'Sticky sessions; ppr only.',
    only: 'ppr',
    default: {},
    complete: ({ ttl = 10, sessions = [] }, _, { seed, id, now }) => ({
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

const invoices: Fields<'invoices'> = {
  serviceid: { form: 'id', about: 'Service ID.', isRequired: true },
  status: { form: 'invoiceStatus', about: 'Status. Defaults to Paid.', default: 'Paid' },
  created_at: {
    form: 'date',
    about: 'YYYY-MM-DD.',
    fill: (_, { service, now }) => service?.regdate ?? dateOf(now),
  },
  description: {
    form: 'longText',
    about: 'Text.',
    fill: ({ serviceid }, { service }) =>
      service ? `${service.product_name}, order ${service.orderid}` : `Service ${serviceid}`,
  },
  amount: {
    form: 'usd',
    about: 'USD. Defaults to the price of the service.',
    fill: (_, { service }) => service?.price ?? 0,
  },
  paymentmethod: { form: 'text', about: 'Payment method.', default: 'credit' },
  date_paid: {
    form: 'date',
    about: 'YYYY-MM-DD.',
    fill: ({ status, created_at }) => (status === 'Paid' || status === 'Refunded' ? created_at : undefined),
  },
  date_refunded: {
    form: 'date',
    about: 'YYYY-MM-DD.',
    fill: ({ status }, { now }) => (status === 'Refunded' ? dateOf(now) : undefined),
  },
}

/** By kind of record and name, in the order in which records have them. */
export const fields = { clients, products, services, invoices } satisfies { [K in Kind]: Fields<K> }

type AnyField = Field<Record<string, unknown>, Record<string, unknown>, object, string>

/** What `fillRecord` needs of a field, in objects of one shape: it is the most of what an order costs. */
interface Filling {
  name: string
  only: ProductType | undefined
  usual: unknown
  fill: AnyField['fill']
  complete: AnyField['complete']
}

const entries = Object.fromEntries(
  Object.entries(fields).map(([kind, all]) => [kind, Object.entries(all)]),
) as unknown as Record<Kind, [string, AnyField][]>

const fillings = Object.fromEntries(
  Object.entries(entries).map(([kind, all]) => [
    kind,
    all.map(([name, { only, default: usual, fill, complete }]) => ({ name, only, usual, fill, complete })),
  ]),
) as Record<Kind, Filling[]>

/** The names and descriptions of the fields of a kind. */
export function fieldsOf(kind: Kind): readonly [name: string, field: AnyField][] {
  return entries[kind]
}

/** A complete record, with its fields in order. */
export function fillRecord<K extends Kind>(kind: K, named: object, sources: Sources[K]): Records[K] {
  const given = named as Record<string, unknown>
  const record: Record<string, unknown> = {}
  for (const { name, only, usual, fill, complete } of fillings[kind]) {
    if (only !== undefined && only !== record['product_type']) continue
    const value = given[name] ?? usual ?? fill?.(record, sources)
    if (value === undefined || value === null) continue
    record[name] = complete ? complete(value, given, sources) : value
  }
  return record as unknown as Records[K]
}

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

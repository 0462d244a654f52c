import { fraction, hash, randomString, pick } from '../../world/random.ts'
import { formatDate, dayMs, toIsoString } from '../../world/time.ts'
import { nextDueDate, registrationDate } from '../billing.ts'
import { liveSessions, sessionAddress, type Sticky } from '../sticky.ts'
import { type BillingCycle, billingCycles, type ProductType, serviceStatuses } from '../values.ts'
import type { FieldInputTypes, GeneratorSource, InputOf, KindDescription, Shape, Usage } from './Kind.ts'

const letters = 'abcdefghijkmnpqrstuvwxyz'
const passwordCharacters = `${letters}ABCDEFGHJKLMNPQRSTUVWXYZ23456789`

const fields = {
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
        ? registrationDate(nextduedate, billingcycle, now, timeZone)
        : formatDate(now - Math.floor(fraction([seed, 'regdate', id]) * 700) * dayMs, timeZone),
  },
  nextduedate: {
    type: 'date',
    fill: (service: { regdate: string; billingcycle: BillingCycle }, { now, timeZone }) =>
      nextDueDate(service.regdate, service.billingcycle, now, timeZone),
  },
  username: {
    type: 'secret',
    fill: (_, { seed, id }) => `u${id}${randomString(4, letters, [seed, 'username', id])}`,
  },
  password: {
    type: 'secret',
    fill: (_, { seed, id }) => randomString(12, passwordCharacters, [seed, 'password', id]),
  },
  ip_count: {
    type: 'addressCount',
    productType: 'fpr',
    from: 'ip_count',
    default: 1,
    // A service needs addresses, so an empty list doesn't determine their number.
    complete: (count: number, _, { ips }: { ips?: string[] }) => ips?.length || count,
  },
  bindedip: { type: 'boundAddress', productType: 'fpr', fill: (_, { newAddress }) => newAddress?.() ?? '' },
  ips: {
    type: 'addresses',
    description: 'Addresses of the IP list. Defaults to ip_count addresses generated from the seed.',
  },
  list_version: {
    type: 'count',
    description: 'Number of times that the generated IP list was replaced.',
  },
  list_updated_at: {
    type: 'instant',
    description: 'Time of the last IP list update. Throttling counts from it.',
  },
  errors: { type: 'addresses', description: 'Proxy servers in an error state (network status).' },
  inactive: { type: 'addresses', description: 'Inactive proxy servers (network status).' },
  usage: {
    type: 'usage',
    description: 'Usage; ppr only.',
    productType: 'ppr',
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
    productType: 'ppr',
    default: {},
    complete: ({ ttl = 10, sessions = [] }: FieldInputTypes['sticky'], { seed, id, now }) => ({
      ttl,
      sessions: sessions.map(({ server, session, ip, rotations = 0, since = toIsoString(now) }) => ({
        server,
        session,
        ip: ip ?? sessionAddress(seed, id, { server, session, rotations }),
        rotations,
        since,
      })),
    }),
    exported: (sticky: Sticky, now) => ({ ...sticky, sessions: liveSessions(sticky, now) }),
  },
} as const satisfies Shape

export const services = {
  fields,
  firstIds: { service: 5001, order: 7001 },
  isCounted: true,
  owners: { client: 'clients', product: 'products' },
  index: ({ bindedip }: { bindedip?: string }) => bindedip || undefined,
  generate: generateService,
  dashboard: {
    columns: {
      product_name: 'Product',
      status: 'Status',
      nextduedate: 'Due',
      bindedip: 'Bound IP',
      client: 'Client',
      product_type: 'Type',
      price: 'Price',
    },
    form: ['status', 'nextduedate', 'bindedip', 'price'],
    hint: 'Order one with New request.',
  },
} as const satisfies KindDescription<typeof fields>

function generateService(source: GeneratorSource): InputOf<typeof fields> {
  const { seed, id, parents } = source
  const { client, product } = source.owners as { client: number; product: number }
  const { price, product_type }: { price?: number; product_type?: ProductType } = parents['product'] ?? {}
  // Most real services are active and billed monthly.
  const status = fraction([seed, 'active', id]) < 0.8 ? 'Active' : pick(serviceStatuses, [seed, 'status', id])
  const cycle =
    fraction([seed, 'monthly', id]) < 0.7 ? 'Monthly' : pick(billingCycles.slice(1), [seed, 'cycle', id])
  return {
    client,
    product,
    status,
    billingcycle: price === 0 ? 'Free' : cycle,
    ...(product_type === 'ppr' && { usage: { stats: generateUsage(source) } }),
  }
}

/** Usage of the last week. */
function generateUsage({ seed, id, now, timeZone }: GeneratorSource): Record<string, number> {
  return Object.fromEntries(
    Array.from({ length: 7 }, (_, i) => [
      formatDate(now - (7 - i) * dayMs, timeZone),
      hash([seed, 'usage', id, i]) % 1000,
    ]),
  )
}

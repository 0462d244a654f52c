import * as fc from 'fast-check'
import {
  assumptionValues,
  billingCycles,
  invoiceStatuses,
  serviceStatuses,
} from '../../../src/world/values.ts'

/*
 * Patches of whatever a world can hold: the largest, the strangest, what must be refused. No rule says which of them are
 * accepted; what is, is exported and loaded like everything else.
 */

type Values = Record<string, fc.Arbitrary<unknown>>
const of = fc.constantFrom
const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 3 })

/** One or two of many fields, so that a patch is often accepted; each may be null. */
const few = (fields: Values, whole: object = {}) =>
  fc
    .shuffledSubarray(Object.keys(fields), {
      minLength: 1,
      maxLength: Math.min(2, Object.keys(fields).length),
    })
    .chain((names) => {
      const orNull = (name: string) =>
        fc.oneof(
          { weight: 6, arbitrary: fields[name] as fc.Arbitrary<unknown> },
          { weight: 1, arbitrary: of(null) },
        )
      return fc
        .record(Object.fromEntries(names.map((name) => [name, orNull(name)])))
        .map((made) => ({ ...whole, ...made }))
    })
const byId = (ids: readonly number[], ...records: fc.Arbitrary<unknown>[]) =>
  fc.dictionary(of(...ids.map(String)), fc.oneof(...records, ...records, of(null)), {
    minKeys: 1,
    maxKeys: 2,
  })

const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  of(
    'yes',
    '~',
    '011',
    '1e3',
    '<<',
    '*a',
    '# x',
    '- a',
    'a: b',
    ' a ',
    'a\nb',
    '\u0085',
    'a\u2028b',
    '\ufeff',
    '\u0001',
  ),
  of('\ud800', 'x'.repeat(10_000), `${'long words '.repeat(30)}\n  indented`),
)
const usd = of(
  0,
  0.1,
  100,
  0.3,
  1.15,
  20,
  10_000_000_000.01,
  999_999_999_999.99,
  1e12,
  0.1 + 0.2,
  0.005,
  1e13,
)
const dates = of('2026-01-31', '2024-02-29', '1999-12-31', '0000-01-01', '9899-12-31', '9999-12-31')
const instants = of(
  '2026-01-15T11:50:00Z',
  '1970-01-01T00:00:00Z',
  '9899-12-31T23:59:59.999Z',
  '9999-12-31T00:00:00Z',
)
const counts = of(0, 1, 999_999_999, 1_000_000_000, Number.MAX_SAFE_INTEGER)
const ips = of('192.0.2.1', '192.0.2.2', '192.0.2.3', '198.51.100.1', '198.18.0.1')
const types = of('fpr', 'ppr')
const high = [4_294_967_294, 4_294_967_296, 8_999_999_999, 9_000_000_005, 9_999_999_999]

const product = {
  productName: text,
  price: usd,
  groupId: of(1, 2, 9999999999),
  groupName: text,
  created_at: dates,
  product_hidden: fc.boolean(),
  group_hidden: fc.boolean(),
  product_type: types,
  ip_count: of(1, 3, 40),
  update_time: of('2026-01-01 00:00:00'),
  geo: some(of('US', 'DE', 'ZZ')),
}
const session = fc.record(
  {
    server: of('us1', 'de/2', 'a b'),
    session: of('abc', 'def'),
    ip: ips,
    rotations: counts,
    since: instants,
  },
  { requiredKeys: ['server', 'session'] },
)
const service = {
  client: of(11, 12, 99),
  product: of(101, 201, 999),
  orderid: of(7001, 7005, ...high, 99999999999),
  product_name: text,
  regdate: dates,
  nextduedate: dates,
  status: of(...serviceStatuses),
  billingcycle: of(...billingCycles),
  username: text,
  password: text,
  bindedip: fc.oneof(ips, of('')),
  product_type: types,
  ip_count: of(1, 2, 40),
  price: usd,
  ips: some(ips),
  list_version: counts,
  list_updated_at: instants,
  errors: some(ips),
  inactive: some(ips),
  usage: few({
    limit: of(0, 0.5, 1e12, 1e15),
    stats: fc.dictionary(dates, of(0.1, 0.2, 1e12), { maxKeys: 3 }),
  }),
  sticky: few({
    ttl: of(1, 5, 10, 15, 7),
    sessions: some(session),
  }),
}
const invoice = {
  description: fc.oneof(text, of('')),
  status: of(...invoiceStatuses),
  created_at: dates,
  amount: usd,
  date_refunded: dates,
  date_paid: dates,
  paymentmethod: text,
  serviceid: of(5001, 5003, 9999999999),
}
const fault = fc.record(
  {
    id: of(1, 5, ...high),
    operation: of('getCredit', 'getService', 'getClient', '*'),
    respond: fc.oneof(
      of('unauthenticated', 'unprocessable'),
      fc.record({
        status: of(200, 503),
        body: fc.oneof(fc.jsonValue({ maxDepth: 3 }), text),
      }),
    ),
    match: of({ path: { id: '5001' } }, { path: { pid: 101 } }),
    after: counts,
    seen: counts,
    times: of(1, 2, 1e9),
    probability: of(0, 0.5, 1),
  },
  { requiredKeys: ['operation', 'respond'] },
)

const records = {
  clients: byId([11, 12, 13, ...high], few({ email: of('a@example.com', 'none') })),
  products: byId(
    [101, 102, 201, ...high],
    few(product),
    few(product, { productName: 'New', price: 5, product_type: 'fpr' }),
  ),
  services: byId(
    [5001, 5002, 5003, 5005, ...high],
    few(service),
    few(service),
    few(service, { client: 11, product: 101 }),
  ),
  invoices: byId(
    [9001, 9002, 9003, ...high],
    few(invoice),
    few(invoice, { serviceid: 5001, status: 'Paid' }),
  ),
}
const ids = of(1, 10_000, 4_294_967_295, 8_999_999_999, 9_000_000_000, 9_000_000_005)
const rest = {
  password: text,
  tokens: some(text),
  credit: usd,
  seed: of(0, -0, 7, Number.MAX_SAFE_INTEGER, 1.5),
  clock: fc.record({
    now: fc.oneof(instants, of('2026-01-31T12:00:00Z')),
    frozen: of(true),
  }),
  limits: few({
    updateListInterval: of(0, 0.5, 3600, 1e9, 1e10),
    activation: of(0, 1, 60, 1e10),
    payment: of(0, 0.5, 30, -1),
  }),
  assumptions: few({
    ...Object.fromEntries(Object.entries(assumptionValues).map(([id, values]) => [id, of(...values)])),
    geo: of('code', 'object', 'x'),
    updateListInterval: of(0, 60),
  }),
  faults: fc.array(fault, { maxLength: 2 }),
  next: few({
    service: ids,
    order: ids,
    invoice: ids,
    fault: ids,
  }),
}

export const wildPatches: fc.Arbitrary<Record<string, unknown>> = fc
  .oneof(few(records), few(records), few(rest))
  .filter(
    ({ clock }) => clock !== null, // a clock that runs has nothing to compare
  )

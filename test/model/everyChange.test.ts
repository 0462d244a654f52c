import * as fc from 'fast-check'
import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from 'vitest'
import type { WorldData } from '../../src/world/World.ts'
import { billingCycles, invoiceStatuses, serviceStatuses } from '../../src/world/values.ts'
import { startForAll, worldOf, type Started } from '../support/start.ts'

/*
 * What is accepted, whoever asks for it, can be exported as JSON and as YAML, loaded elsewhere, and then every GET has the
 * same answer.
 */

/** Sequences of changes; PROXYSIM_INPUTS=5000 for the long trial. */
const runs = Number(process.env['PROXYSIM_INPUTS'] ?? 40)

const scenario = {
  seed: 5,
  clock: '2026-01-31T12:00:00Z',
  accounts: {
    reseller: {
      password: 'secret',
      credit: 1000,
      clients: { 11: { email: 'ana@example.com' }, 12: {} },
      products: {
        101: { productName: 'Static', price: 20, product_type: 'fpr', ip_count: 3, geo: ['US', 'DE'] },
        201: { productName: 'Rotating', price: 0.1, product_type: 'ppr' },
      },
      services: {
        5001: { client: 11, product: 101, bindedip: '192.0.2.1', errors: ['198.51.100.1'] },
        5002: { client: 11, product: 101, ips: ['198.51.100.1', '198.51.100.2'] },
        5003: {
          client: 12,
          product: 201,
          usage: { limit: 5, stats: { '2026-01-30': 1.5 } },
          sticky: { ttl: 15, sessions: [{ server: 'us1', session: 'abc' }] },
        },
        5004: { client: 99, product: 201 },
      },
      invoices: { 9001: { serviceid: 5001, status: 'Paid' }, 9002: { serviceid: 5004, status: 'Unpaid' } },
    },
  },
}

/** A merge patch of these fields: each may be null. */
const patchOf = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) }),
      ]),
    ),
  )
/** A few of many fields, so that a patch is often accepted. */
const fewOf = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .shuffledSubarray(Object.keys(fields), {
      minLength: 1,
      maxLength: Math.min(2, Object.keys(fields).length),
    })
    .chain((names) =>
      patchOf(Object.fromEntries(names.map((name) => [name, fields[name] as fc.Arbitrary<unknown>]))),
    )
const whole = <T extends object>(record: T, more: Record<string, fc.Arbitrary<unknown>>) =>
  fewOf(more).map((changes) => ({ ...record, ...changes }))
const byId = (ids: readonly number[], record: fc.Arbitrary<unknown>) =>
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc.dictionary(
        fc.constantFrom(...ids.map(String)),
        fc.oneof({ weight: 6, arbitrary: record }, { weight: 1, arbitrary: fc.constant(null) }),
        { minKeys: 1, maxKeys: 3 },
      ),
    },
    { weight: 1, arbitrary: fc.constant(null) },
  )

const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.constantFrom(
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
    '\u007f',
    '\u0001',
    '\ud800',
    'x'.repeat(10_000),
    `${'long words '.repeat(30)}\n  indented`,
  ),
)
const usd = fc.constantFrom(
  0,
  0.1,
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
const dates = fc.constantFrom(
  '2026-01-31',
  '2024-02-29',
  '1999-12-31',
  '0000-01-01',
  '9899-12-31',
  '9999-12-31',
)
const instants = fc.constantFrom(
  '2026-01-31T11:50:00Z',
  '2026-01-31T12:00:00Z',
  '1970-01-01T00:00:00Z',
  '9899-12-31T23:59:59.999Z',
  '9999-12-31T00:00:00Z',
)
const counts = fc.constantFrom(0, 1, 999_999_999, 1_000_000_000, Number.MAX_SAFE_INTEGER)
const ips = fc.constantFrom('192.0.2.1', '192.0.2.2', '192.0.2.3', '198.51.100.1', '198.18.0.1')
const types = fc.constantFrom('fpr', 'ppr')
const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 3 })
const highIds = [4_294_967_294, 4_294_967_296, 8_999_999_999, 9_000_000_005, 9_999_999_999]
const orders = fc.constantFrom(7001, 7005, ...highIds, 99_999_999_999)

const productFields = {
  productName: text,
  price: usd,
  groupId: fc.constantFrom(1, 2, 9_999_999_999),
  groupName: text,
  created_at: dates,
  product_hidden: fc.boolean(),
  group_hidden: fc.boolean(),
  product_type: types,
  ip_count: fc.constantFrom(1, 3, 40),
  update_time: fc.constant('2026-01-01 00:00:00'),
  geo: some(fc.constantFrom('US', 'DE', 'ZZ')),
}
const session = fc.record(
  {
    server: fc.constantFrom('us1', 'de/2', 'a b'),
    session: fc.constantFrom('abc', 'def'),
    ip: ips,
    rotations: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, counts),
    since: fc.oneof({ weight: 5, arbitrary: fc.constant('2026-01-31T12:00:00Z') }, instants),
  },
  { requiredKeys: ['server', 'session'] },
)
const serviceFields = {
  client: fc.constantFrom(11, 12, 99),
  product: fc.constantFrom(101, 201, 999),
  orderid: orders,
  product_name: text,
  regdate: dates,
  nextduedate: dates,
  status: fc.constantFrom(...serviceStatuses),
  billingcycle: fc.constantFrom(...billingCycles),
  username: text,
  password: text,
  bindedip: fc.oneof(ips, fc.constant('')),
  product_type: types,
  ip_count: fc.constantFrom(1, 2, 40),
  price: usd,
  ips: some(ips),
  list_version: counts,
  list_updated_at: instants,
  errors: some(ips),
  inactive: some(ips),
  usage: fewOf({
    limit: fc.constantFrom(0, 0.5, 1e12, 1e15),
    stats: fc.dictionary(dates, fc.constantFrom(0.1, 0.2, 1e12), { maxKeys: 3 }),
  }),
  sticky: fewOf({ ttl: fc.constantFrom(1, 5, 10, 15, 7), sessions: some(session) }),
}
const invoiceFields = {
  description: fc.oneof(text, fc.constant('')),
  status: fc.constantFrom(...invoiceStatuses),
  created_at: dates,
  amount: usd,
  date_refunded: dates,
  date_paid: dates,
  paymentmethod: text,
  serviceid: fc.constantFrom(5001, 5003, 9_999_999_999),
}
const fault = fc.oneof(
  fc.record(
    {
      id: fc.constantFrom(1, 5, ...highIds),
      operation: fc.constantFrom('getCredit', 'getService', 'getClient', '*'),
      respond: fc.oneof(
        fc.constantFrom('unauthenticated', 'unprocessable'),
        fc.record({ status: fc.constantFrom(200, 503), body: fc.oneof(fc.jsonValue({ maxDepth: 3 }), text) }),
      ),
      match: fc.constantFrom({ path: { id: '5001' } }, { path: { pid: 101 } }),
      after: counts,
      times: fc.constantFrom(1, 2, 1_000_000_000),
      probability: fc.constantFrom(0, 0.5, 1),
      seen: counts,
    },
    { requiredKeys: ['operation', 'respond'] },
  ),
)
const accountFields = {
  password: text,
  tokens: some(text),
  credit: usd,
  seed: fc.constantFrom(0, -0, 7, Number.MAX_SAFE_INTEGER, 1.5),
  clock: fc.oneof(instants, fc.record({ now: instants, frozen: fc.constant(true) })),
  clients: byId([11, 12, 13, ...highIds], patchOf({ email: fc.constantFrom('a@example.com', 'none') })),
  products: byId(
    [101, 102, 201, ...highIds],
    fc.oneof(
      fewOf(productFields),
      whole({ productName: 'New', price: 5, product_type: 'fpr' }, productFields),
    ),
  ),
  services: byId(
    [5001, 5002, 5003, 5004, 5005, ...highIds],
    fc.oneof(
      fewOf(serviceFields),
      whole({ client: 11, product: 101 }, serviceFields),
      whole({ client: 12, product: 201 }, serviceFields),
    ),
  ),
  invoices: byId(
    [9001, 9002, 9003, ...highIds],
    fc.oneof(fewOf(invoiceFields), whole({ serviceid: 5001, status: 'Paid' }, invoiceFields)),
  ),
  limits: patchOf({ updateListInterval: fc.constantFrom(0, 0.5, 3600, 1e9, 1e10) }),
  assumptions: fewOf({
    hiddenProducts: fc.constantFrom('listed', 'unlisted'),
    rebindOwn: fc.constantFrom('allowed', 'refused'),
    orderedInvoice: fc.constantFrom('Paid', 'Pending'),
    geo: fc.constantFrom('code', 'object'),
    unknownInvoice: fc.constantFrom('empty', 'unprocessable'),
    ipListJson: fc.constantFrom('strings', 'objects'),
    updateListInterval: fc.constantFrom(0, 60),
  }),
  faults: fc.array(fault, { maxLength: 2 }),
  next: fewOf(
    Object.fromEntries(
      ['service', 'order', 'invoice', 'fault'].map((kind) => [
        kind,
        fc.constantFrom(1, 10_000, 4_294_967_295, 8_999_999_999, 9_000_000_000, 9_000_000_005),
      ]),
    ),
  ),
}

type Request = [method: string, path: string, body?: unknown]
const {
  services: anyServices,
  products: anyProducts,
  clients: anyClients,
  invoices: anyInvoices,
  ...rest
} = accountFields
const { product_type, sticky, usage } = serviceFields
const twoIps = fc.constantFrom('192.0.2.1', '192.0.2.2')
const kind = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fewOf(fields).map((body): Request => ['PATCH', '/__admin/accounts/reseller', body])
const id = fc.constantFrom('5001', '5002', '5003', '5003', '5004', '5005', '10000', '9999999999')
const change: fc.Arbitrary<Request> = fc.oneof(
  { weight: 4, arbitrary: kind({ services: anyServices }) },
  { weight: 3, arbitrary: kind({ services: byId([5001, 5002], fewOf({ bindedip: twoIps, product_type })) }) },
  { weight: 3, arbitrary: kind({ services: byId([5003, 5004], fewOf({ sticky, usage })) }) },
  { weight: 1, arbitrary: kind({ clock: accountFields.clock }) },
  {
    weight: 3,
    arbitrary: kind({
      services: anyServices,
      products: anyProducts,
      invoices: anyInvoices,
      clients: anyClients,
    }),
  },
  { weight: 2, arbitrary: kind(rest) },
  {
    weight: 2,
    arbitrary: fc
      .record({ clientid: fc.constantFrom(11, 12), setip: ips }, { requiredKeys: ['clientid'] })
      .chain((body) =>
        fc.constantFrom('101', '102', '201').map((pid): Request => ['POST', `/api/product/${pid}`, body]),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .record(
        { setip: ips, update_list: fc.constant('true'), password: fc.constantFrom('cHc=', '77u/') },
        { requiredKeys: [] },
      )
      .chain((body) => id.map((one): Request => ['PUT', `/api/service/${one}`, body])),
  },
  { weight: 1, arbitrary: id.map((one): Request => ['GET', `/api/sticky/rotate/${one}/us1/abc`]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(id, fc.constantFrom(1, 15))
      .map(([one, ttl]): Request => ['GET', `/api/sticky/changettl/${one}/${ttl}`]),
  },
  { weight: 1, arbitrary: fault.map((body): Request => ['POST', '/__admin/faults', body]) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('PT1M', 'PT1H', 'P1M', 'P7900Y')
      .map((by): Request => ['POST', '/__admin/clock/advance', { by }]),
  },
  { weight: 1, arbitrary: fc.constant<Request>(['POST', '/__admin/accounts/reseller/tokens', {}]) },
)

/** What a world may be, said once more, and as naively as can be. */
function expectSane({ services, invoices, products, credit, next, clock, faults }: WorldData): void {
  const bound = Object.values(services).flatMap(({ bindedip: ip }) => (ip ? [ip] : []))
  expect(new Set(bound).size, 'an address is bound once').toBe(bound.length)
  for (const service of Object.values(services)) {
    const own = Object.keys(service).filter((field) =>
      ['bindedip', 'ip_count', 'sticky', 'usage'].includes(field),
    )
    expect(own.toSorted(), 'the fields of its type').toEqual(
      service.product_type === 'fpr' ? ['bindedip', 'ip_count'] : ['sticky', 'usage'],
    )
    const names = service.sticky?.sessions.map(({ server, session: name }) => `${server} ${name}`) ?? []
    expect(new Set(names).size, 'a session is there once').toBe(names.length)
    expect(service.nextduedate).toMatch(/^\d{4}-\d\d-\d\d$/)
  }
  const amounts = [...Object.values(products), ...Object.values(services)].map(({ price }) => price)
  for (const amount of [credit, ...amounts, ...Object.values(invoices).map((one) => one.amount)])
    expect(Math.round(amount * 100) / 100, 'whole cents').toBe(amount)
  const used = {
    service: Object.keys(services).map(Number),
    invoice: Object.keys(invoices).map(Number),
    order: Object.values(services).map(({ orderid }) => orderid),
    fault: faults.map(({ id: one }) => one),
  }
  for (const [kindOfId, ids] of Object.entries(used))
    for (const one of ids)
      expect(
        one < next[kindOfId as keyof typeof used] || one >= 9_000_000_000,
        `${kindOfId} ${one} again`,
      ).toBe(true)
  expect('frozen' in clock).toBe(true) // as the test froze it
}

/** Every GET of the API, over all ids that there are and some that there are not; those that change something come last. */
function everyGet({ services, products, invoices }: WorldData): string[] {
  const serviceIds = [...Object.keys(services), '4999', 'abc']
  const of = (ids: readonly string[], ...paths: string[]): string[] =>
    ids.flatMap((one) => paths.map((path) => path.replace('{}', one)))
  const lists = ['http-ip', 'socks-ip', 'http-auth', 'ppr-http', 'ppr-socks'].flatMap((type) =>
    ['csv', 'txt', 'json'].map((format) => `iplist/${type}/${format}/{}`),
  )
  return [
    'clients',
    'products',
    'services',
    'billing/credit',
    'billing/invoices',
    ...['productId', 'productName', 'price', 'groupId', 'groupName', 'created_at', 'size'].map(
      (field) => `products/orderby/${field}`,
    ),
    ...of([...Object.keys(products), '999', 'abc'], 'product/{}'),
    ...of([...Object.keys(invoices), '999', 'abc'], 'billing/invoice/{}'),
    ...of(
      serviceIds,
      'service/{}',
      'stats/{}',
      'rate/{}',
      'networkstatus/errors/{}',
      'networkstatus/inactive/{}',
      'sticky/list/{}',
    ),
    ...of(Object.keys(services), ...lists),
    ...of(
      serviceIds,
      'sticky/rotate/{}/us1/abc',
      'sticky/changettl/{}/3',
      'sticky/list/{}',
      'sticky/resetall/{}',
    ),
  ]
}

const shared = [startForAll({ scenario, journal: 10 }), startForAll({ journal: 10 })]

/** A world without what tells loads apart. */
const comparable = (sim: Started): WorldData => ({ ...worldOf(sim), version: 0, origin: { load: 0 } })

const put = async (sim: Started, raw: string, type: string): Promise<void> => {
  const loaded = await sim.call('PUT', '/__admin/scenario', { raw, headers: { 'content-type': type } })
  expect(loaded.status, loaded.text).toBe(200)
}

/** Only a fault may answer 500 and more. */
function expectNoBug(what: string, status: number, headers: IncomingHttpHeaders): void {
  expect(headers['sim-case'] === 'forced' || status < 500, what).toBe(true)
}

async function answers(sim: Started, paths: readonly string[]): Promise<object[]> {
  const seen: object[] = []
  for (const path of paths) {
    const { status, text: body, headers } = await sim.call('GET', `/api/${path}`)
    seen.push({ path, status, body, case: headers['sim-case'], reason: headers['sim-reason'] })
    expectNoBug(`${path}: ${body}`, status, headers)
  }
  return seen
}

test(`${runs} sequences of changes: what is accepted is exported, loaded and answered the same`, {
  timeout: 60_000 + runs * 2000,
}, async () => {
  const [sim, other] = shared.map((get) => get()) as [Started, Started]
  const outcomes = { accepted: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12, size: 'max' }), async (changes) => {
      await sim.call('POST', '/__admin/reset')
      for (const [method, path, body] of changes) {
        const { status, text: said, headers } = await sim.call(method, path, { body })
        expectNoBug(`${method} ${path}: ${said}`, status, headers)
        outcomes[status < 300 ? 'accepted' : 'refused']++
      }
      await sim.call('PUT', '/__admin/clock', { body: { frozen: true } }) // so that all are asked at the same time
      const world = comparable(sim)
      const json = (await sim.call('GET', '/__admin/scenario')).text
      const yaml = (await sim.call('GET', '/__admin/scenario', { headers: { accept: 'application/yaml' } }))
        .text
      expectSane(world)
      const paths = everyGet(world)
      const expected = await answers(sim, paths)
      for (const [raw, type] of [
        [json, 'application/json'],
        [yaml, 'application/yaml'],
      ] as const) {
        await put(other, raw, type)
        expect(comparable(other)).toEqual(world)
        expect(await answers(other, paths)).toEqual(expected)
      }
    }),
    { numRuns: runs },
  )
  // A generator that nothing comes of would prove nothing.
  expect(outcomes.accepted).toBeGreaterThan(runs)
  expect(outcomes.refused).toBeGreaterThan(runs / 10)
})

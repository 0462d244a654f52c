import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { billingCycles, invoiceStatuses, serviceStatuses } from '../../src/world/values.ts'
import { start, startForAll, type Started } from '../support/start.ts'

const noon = '2026-01-15T12:00:00Z'

/** Calls to which two equal states give equal answers; those that change something come last, and in this order. */
const reads: [method: string, path: string, body?: object][] = [
  ...['clients', 'products', 'services', 'billing/credit', 'billing/invoices'].map(
    (path): [string, string] => ['GET', path],
  ),
  ...['productName', 'price', 'created_at', 'nothing'].map((field): [string, string] => [
    'GET',
    `products/orderby/${field}`,
  ]),
  ...[101, 105, 201, 301, 999].map((id): [string, string] => ['GET', `product/${id}`]),
  ...[5001, 5002, 5003, 5009, 5101, 5104, 999].map((id): [string, string] => ['GET', `service/${id}`]),
  ...['stats/5101', 'rate/5101', 'rate/5001', 'networkstatus/errors/5001', 'networkstatus/inactive/5001'].map(
    (path): [string, string] => ['GET', path],
  ),
  ['GET', 'networkstatus/errors/5009'],
  ['GET', 'billing/invoice/9001'],
  ['GET', 'iplist/http-ip/txt/5001'],
  ['GET', 'iplist/http-auth/json/5002'],
  ['GET', 'iplist/ppr-socks/csv/5101'],
  ['GET', 'sticky/list/5101'],
  ['GET', 'sticky/rotate/5101/us1/abc'],
]
const writes: typeof reads = [
  ['PUT', 'service/5002', { update_list: 'true' }],
  ['PUT', 'service/5001', { setip: '192.0.2.20' }],
  ['PUT', 'service/5008', { setip: '203.0.113.3', password: 'cHc=' }],
  ['POST', 'product/101', { clientid: 11 }],
  ['POST', 'product/201', { clientid: 12 }],
  ['POST', 'product/104', { clientid: 12 }],
  ['GET', 'sticky/changettl/5101/3'],
  ['GET', 'sticky/rotate/5101/us1/def'],
  ['GET', 'sticky/resetall/5102'],
  ['GET', 'services'],
  ['GET', 'billing/invoices'],
]

interface Seen {
  path: string
  status: number | string
  text: string
  simCase: unknown
}

async function ask(sim: Started, calls: typeof reads): Promise<Seen[]> {
  const seen: Seen[] = []
  for (const [method, path, body] of calls) {
    const { status, text, headers } = await sim
      .call(method, `/api/${path}`, body ? { body } : {})
      .catch((error: Error) => ({
        status: 'lost' as const,
        text: error.name,
        headers: {} as Record<string, string>,
      }))
    seen.push({ path: `${method} ${path}`, status, text, simCase: headers['sim-case'] })
  }
  return seen
}

/** Takes the state as a scenario, and loads it into another simulator. */
async function again(sim: Started): Promise<Started> {
  const { text } = await sim.call('GET', '/__admin/scenario')
  const other = await start()
  const loaded = await other.call('PUT', '/__admin/scenario', { raw: text })
  expect(loaded.status, loaded.text).toBe(200)
  return other
}

describe('an exported state gives the same responses when it is loaded', () => {
  /** Makes the state another than any scenario gives. */
  async function live(sim: Started): Promise<void> {
    await sim.call('POST', '/api/product/101', { body: { clientid: 11 } })
    await sim.call('POST', '/api/product/105', { body: { clientid: 12, setip: '203.0.113.7' } })
    await sim.call('PUT', '/api/service/5002', { body: { update_list: 'true' } })
    await sim.call('GET', '/api/sticky/rotate/5101/us1/abc')
    await sim.call('POST', '/__admin/accounts/reseller/tokens')
  }

  test('with a frozen clock', async () => {
    const sim = await start({ scenario: 'update-list-throttled' })
    await live(sim)
    const other = await again(sim)
    expect(await ask(other, [...reads, ...writes])).toEqual(await ask(sim, [...reads, ...writes]))
    expect((await other.call('GET', '/__admin/clock')).json).toEqual(
      (await sim.call('GET', '/__admin/clock')).json,
    )
  })

  test('with a running clock: throttle and sessions continue', async () => {
    const sim = await start()
    await live(sim)
    await sim.call('POST', '/__admin/clock/advance', { body: { by: 'P1D' } })
    await live(sim)
    const other = await again(sim)
    // the time of the next update is named to the second, and the two simulators are asked one after the other
    const calls = [...reads, ...writes.filter(([, path]) => !path.startsWith('sticky/'))]
    const shown = (seen: Seen[]) =>
      seen.map((one) => ({ ...one, text: one.text.replaceAll(/\d\d:\d\d:\d\d/g, 'then') }))
    expect(shown(await ask(other, calls))).toEqual(shown(await ask(sim, calls)))
    const clock = (await other.call<{ now: string; frozen: boolean }>('GET', '/__admin/clock')).json
    expect(clock.frozen).toBe(false)
    expect(Date.parse(clock.now)).toBeGreaterThan(Date.now() + 23 * 60 * 60 * 1000)
  })

  test('with partly used faults', async () => {
    const sim = await start({ scenario: 'flaky' })
    await sim.call('POST', '/__admin/faults', {
      body: { operation: 'getCredit', respond: 'unauthenticated', after: 2, times: 2 },
    })
    const calls: typeof reads = Array.from({ length: 25 }, () => ['GET', 'billing/credit'])
    await ask(sim, calls.slice(0, 7))
    const other = await again(sim)
    expect(await ask(other, calls)).toEqual(await ask(sim, calls))
    expect((await other.call('GET', '/__admin/faults')).json).toEqual(
      (await sim.call('GET', '/__admin/faults')).json,
    )
  })

  test('with several accounts, other readings and generated records', async () => {
    const sim = await start({ scenario: 'large' })
    await sim.call('PATCH', '/__admin/accounts/reseller', {
      body: { assumptions: { updateResult: 'all', productSort: 'desc' }, limits: { updateListInterval: 1 } },
    })
    await sim.call('POST', '/__admin/accounts', { body: { login: 'second', scenario: 'low-funds' } })
    const other = await again(sim)
    const state = ({ simulation }: Started) =>
      Object.values(simulation.store.state.accounts).map(
        ({ clock: _clock, version: _version, origin: _origin, ...world }) => world,
      )
    expect(state(other)).toEqual(state(sim))
  })
})

describe('any small scenario', () => {
  const sim = startForAll()
  const id = fc.integer({ min: 1, max: 9_999_999_999 })
  const usd = fc.integer({ min: 0, max: 1_000_000 }).map((cents) => cents / 100)
  const odd = fc.constantFrom(
    'yes',
    'null',
    '~',
    '011',
    '1e3',
    '<<',
    '2026-01-15',
    '*a',
    '&a',
    '!!int 5',
    '# x',
    '- a',
    'a: b',
  )
  const text = fc.oneof(fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme-ascii' }), odd)
  const date = fc
    .integer({ min: 0, max: 20_000 })
    .map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10))
  const records = <T>(value: fc.Arbitrary<T>) => fc.dictionary(id.map(String), value, { maxKeys: 4 })
  const product = fc.record(
    {
      productName: text,
      price: usd,
      product_type: fc.constantFrom('fpr', 'ppr'),
      created_at: date,
      product_hidden: fc.boolean(),
      groupId: id,
    },
    { requiredKeys: ['productName', 'price', 'product_type'] },
  )
  const service = fc.record(
    {
      client: id,
      product: fc.constant(1),
      status: fc.constantFrom(...serviceStatuses),
      billingcycle: fc.constantFrom(...billingCycles),
      regdate: date,
      username: text,
      orderid: id,
      errors: fc.array(fc.ipV4(), { maxLength: 2 }),
    },
    { requiredKeys: ['client', 'product'] },
  )
  const invoice = fc.record(
    { serviceid: id, status: fc.constantFrom(...invoiceStatuses), amount: usd, created_at: date },
    { requiredKeys: ['serviceid', 'status'] },
  )
  const account = fc.record(
    {
      password: text,
      tokens: fc.array(text, { maxLength: 2 }),
      credit: usd,
      products: fc.tuple(records(product), product).map(([more, first]) => ({ ...more, 1: first })),
      services: records(service),
      invoices: records(invoice),
      faults: fc.array(
        fc.record(
          {
            operation: fc.constantFrom('*', 'getCredit'),
            delay: fc.integer({ min: 0, max: 9 }),
            times: fc.integer({ min: 1, max: 3 }),
          },
          { requiredKeys: ['operation', 'delay'] },
        ),
        { maxLength: 2 },
      ),
      limits: fc.record({ updateListInterval: fc.integer({ min: 0, max: 9999 }) }),
      generate: fc.record({ clients: fc.nat(3), services: fc.nat(3), invoices: fc.nat(3) }),
    },
    { requiredKeys: ['password', 'products'] },
  )
  const login = fc
    .string({ minLength: 1, maxLength: 8, unit: 'grapheme-ascii' })
    .filter((name) => !name.includes(':') && !['__proto__', '.', '..'].includes(name))
  const scenario = fc.record(
    {
      description: text,
      seed: fc.integer(),
      clock: fc.constant(noon),
      accounts: fc.dictionary(login, account, { minKeys: 1, maxKeys: 2 }),
    },
    { requiredKeys: ['description', 'clock', 'accounts'] },
  )

  test('round-trips through its export, world by world', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (document) => {
        const put = (body: unknown) => sim().call('PUT', '/__admin/scenario', { body })
        const first = await put(document)
        expect(first.status, first.text).toBe(200)
        const before = structuredClone(sim().simulation.store.state.accounts)
        const exported = (await sim().call('GET', '/__admin/scenario')).json
        const second = await put(exported)
        expect(second.status, second.text).toBe(200)
        expect(sim().simulation.store.state.accounts).toEqual(before)
        expect((await sim().call('GET', '/__admin/scenario')).json).toEqual(exported)
        const yaml = await sim().call('GET', '/__admin/scenario', { headers: { accept: 'application/yaml' } })
        const third = await sim().call('PUT', '/__admin/scenario', {
          raw: yaml.text,
          headers: { 'content-type': 'application/yaml' },
        })
        expect(third.status, third.text).toBe(200)
        expect(sim().simulation.store.state.accounts).toEqual(before)
      }),
      { numRuns: 60 },
    )
  })
})

test.each(['json', 'yaml'])('line separators of Unicode are part of a text: %s', async (format) => {
  const sim = await start({
    scenario: { accounts: { 'a\u2028b': { password: 'p', clients: { 11: { email: 'x\u2028y\u2029' } } } } },
  })
  const exported = await sim.call('GET', '/__admin/scenario', {
    headers: { accept: `application/${format}` },
  })
  const other = await start()
  const headers = { 'content-type': `application/${format}` }
  expect((await other.call('PUT', '/__admin/scenario', { raw: exported.text, headers })).status).toBe(200)
  const state = await other.call<{ accounts: object }>('GET', '/__admin/scenario')
  expect(state.json.accounts).toMatchObject({ 'a\u2028b': { clients: { 11: { email: 'x\u2028y\u2029' } } } })
})

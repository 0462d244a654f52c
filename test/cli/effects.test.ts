import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { surplus, type Effect } from '../../src/runs/Effects.ts'
import { Observer } from '../../src/runs/Observer.ts'
import { load } from '../../src/Simulation.ts'
import { start, type Started } from '../support/start.ts'

const fpr = { product_type: 'fpr', groupId: 1, ip_count: 2 }
const sessions = ['a', 'b'].map((session) => ({ server: 'us1', session }))
const ppr = { client: 12, product: 201, sticky: { ttl: 10, sessions } }

/** The same world with another time and other ids to assign. */
function world(clock: string, first: number, more: object = {}): object {
  return {
    clock,
    accounts: {
      reseller: {
        password: 'secret',
        credit: 1000,
        next: { service: first, order: first, invoice: first },
        clients: { 11: { email: 'ana@example.com' }, 12: { email: 'ben@example.org' } },
        products: {
          101: { productName: 'Ten', price: 20, ...fpr },
          102: { productName: 'Two', price: 12.5, ...fpr },
          201: { productName: 'Turns', price: 35, product_type: 'ppr' },
        },
        services: {
          5001: { client: 11, product: 101, bindedip: '192.0.2.1' },
          5002: { client: 11, product: 101, bindedip: '192.0.2.2' },
          5101: ppr,
          5102: ppr,
          5103: ppr,
        },
        ...more,
      },
    },
  }
}

async function ok(sim: Started, method: string, path: string, body?: object): Promise<unknown> {
  const { status, json, text } = await sim.call(method, path, body && { body })
  expect(`${status} ${text}`).toMatch(/^20[01] /)
  return json
}

/** The effects of what a client does after a reset. */
async function effectsOf(sim: Started, act: () => Promise<unknown>): Promise<Effect[]> {
  await load(sim.simulation, await sim.simulation.store.scenario())
  const seen = new Observer(sim.simulation, 0)
  await act()
  return seen.effects
}

const differences = (one: readonly Effect[], other: readonly Effect[]): Effect[] => [
  ...surplus(one, other),
  ...surplus(other, one),
]
const lines = (effects: readonly Effect[]): string[] =>
  effects.map(({ subject, value }) => `${subject}: ${value}`).toSorted()
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** An action of a client, complete or without its last request. */
type Act = (sim: Started, isWhole: boolean) => Promise<unknown>

const call =
  (method: string, path: string, body?: object): Act =>
  async (sim, isWhole) =>
    isWhole && ok(sim, method, path, body)

const update = fc.constantFrom({ password: base64('new') }, { update_list: 'true' }, { setip: '' })
const address = fc.integer({ min: 1, max: 254 })

/** Acts that don't undo each other: of equal keys, only one is taken. */
const act: fc.Arbitrary<{ key: string; act: Act }> = fc.oneof(
  fc
    .record({ pid: fc.constantFrom(101, 102, 201), clientid: fc.constantFrom(11, 12), id: fc.nat() })
    .map(({ pid, clientid, id }) => ({
      key: `${id}`,
      act: call('POST', `/api/product/${pid}`, { clientid }),
    })),
  fc.record({ n: address, update }).map(({ n, update: body }) => ({
    key: `ordered ${n}`,
    act: async (sim: Started, isWhole: boolean) => {
      const ordered = await ok(sim, 'POST', '/api/product/102', { clientid: 12 })
      const path = `/api/service/${(ordered as { serviceId: number }).serviceId}`
      if (isWhole) await ok(sim, 'PUT', path, 'setip' in body ? { setip: `203.0.113.${n}` } : body)
    },
  })),
  fc.record({ id: fc.constantFrom(5001, 5002), update }).map(({ id, update: body }) => ({
    key: `${id} ${Object.keys(body).join()}`,
    act: call('PUT', `/api/service/${id}`, 'setip' in body ? { setip: `192.0.2.${id - 4900}` } : body),
  })),
  fc.record({ session: fc.constantFrom('a', 'b'), id: fc.nat() }).map(({ session, id }) => ({
    key: `rotate ${id}`,
    act: call('GET', `/api/sticky/rotate/5101/us1/${session}`),
  })),
  fc
    .constantFrom('/api/sticky/changettl/5102/3', '/api/sticky/resetall/5103')
    .map((path) => ({ key: path, act: call('GET', path) })),
)

test('the effects of two runs of a client are equal, whatever ids and times they get, and differ if a call is missing', {
  timeout: 60_000,
}, async () => {
  const usual = await start({ scenario: world('2026-01-15T12:00:00Z', 6000) })
  const other = await start({ scenario: world('2026-03-31T23:59:59Z', 8100) })
  const run = (sim: Started, acts: readonly Act[], missing?: Act): Promise<Effect[]> =>
    effectsOf(sim, async () => {
      for (const one of acts) await one(sim, one !== missing)
    })
  const cases = fc
    .uniqueArray(act, { selector: ({ key }) => key, minLength: 1, maxLength: 6 })
    .map((all) => all.map((one) => one.act))
    .chain((acts) =>
      fc.record({
        acts: fc.constant(acts),
        shuffled: fc.shuffledSubarray(acts, { minLength: acts.length }),
        missing: fc.constantFrom(...acts),
      }),
    )
  const property = fc.asyncProperty(cases, async ({ acts, shuffled, missing }) => {
    const effects = await run(usual, acts)
    expect(effects).not.toEqual([])
    expect(differences(effects, await run(other, shuffled))).toEqual([])
    expect(differences(effects, await run(other, shuffled, missing))).not.toEqual([])
  })
  await fc.assert(property, { numRuns: 30 })
})

test('effects are told without order ids, times and credentials', async () => {
  const sim = await start({ scenario: world('2026-01-15T12:00:00Z', 6000) })
  const effects = await effectsOf(sim, async () => {
    await ok(sim, 'POST', '/api/product/101', { clientid: 11, setip: '198.51.100.7' })
    await ok(sim, 'PUT', '/api/service/5001', {
      setip: '192.0.2.9',
      password: base64('sesame'),
      update_list: 'true',
    })
    await ok(sim, 'GET', '/api/sticky/rotate/5101/us1/a')
    await ok(sim, 'GET', '/api/sticky/changettl/5102/3')
    await ok(sim, 'GET', '/api/sticky/resetall/5103')
  })
  expect(lines(effects).map((line) => line.replace(/fingerprint \w{8}/, 'fingerprint …'))).toEqual([
    'reseller: credit: 980.00',
    'reseller: new invoice (amount 20, status Paid): added',
    'reseller: new service (billingcycle Monthly, bindedip 198.51.100.7, client 11, ip_count 2, price 20, product 101, product_name Ten, product_type fpr, status Active): added',
    'reseller: service 5001 bindedip: 192.0.2.9',
    'reseller: service 5001 list_version: 1',
    'reseller: service 5001 password: set (fingerprint …)',
    'reseller: service 5101 sticky sessions: (rotations 1, server us1, session a), (rotations 0, server us1, session b)',
    'reseller: service 5102 sticky ttl: 3',
    'reseller: service 5103 sticky sessions: none',
  ])
})

test('effects add up across resets, loads and restores, and in accounts that the client creates and deletes', async () => {
  const sim = await start()
  const admin = async (method: string, path: string, body?: object) =>
    (await sim.call<{ id: string; login: string }>(method, `/__admin${path}`, body && { body })).json
  const order = (login = 'reseller') =>
    sim.call('POST', '/api/product/101', { login, body: { clientid: 11 } })
  const effects = await effectsOf(sim, async () => {
    await order()
    const { id } = await admin('POST', '/snapshots')
    await admin('POST', '/reset')
    await order()
    await admin('POST', `/snapshots/${id}/restore`)
    await order()
    for (const login of [undefined, 'mine']) {
      const made = await admin('POST', '/accounts', { login })
      await order(made.login)
      await admin('DELETE', `/accounts/${made.login}`)
    }
  })
  const orders = lines(effects.filter(({ subject }) => subject.includes('new service')))
  expect(orders.map((line) => line.replace(/ new.*/, ''))).toEqual([
    'accounts it created:',
    'accounts it created:',
    'reseller:',
    'reseller:',
    'reseller:',
  ])
})

test('what the timeline and the control plane do is no effect of the client, even if it did both in between', async () => {
  const more = {
    limits: { activation: 60, payment: 60 },
    assumptions: { orderedService: 'Pending', orderedInvoice: 'Unpaid' },
    timeline: [{ after: 'PT1M', patch: { services: { 5001: { status: 'Suspended' } } } }],
  }
  const sim = await start({ scenario: world('2026-01-15T12:00:00Z', 6000, more) })
  const orderTwice = (by: string) =>
    effectsOf(sim, async () => {
      await ok(sim, 'POST', '/api/product/101', { clientid: 11 })
      await ok(sim, 'POST', '/__admin/clock/advance', { by })
      await ok(sim, 'PATCH', '/__admin/accounts/reseller', { clients: { 77: { email: 'eve@example.com' } } })
      await ok(sim, 'POST', '/__admin/faults', { operation: 'getCredit', drop: 'reset', times: 1 })
      await ok(sim, 'GET', '/api/services')
      await ok(sim, 'POST', '/api/product/101', { clientid: 11 })
    })
  const effects = await orderTwice('PT1S')
  expect(differences(effects, await orderTwice('PT2M'))).toEqual([])
  expect(effects.map(({ subject }) => subject.replace(/ \(.*\)/, ''))).toEqual(
    Array.from({ length: 2 }, () => ['reseller: new service', 'reseller: new invoice']).flat(),
  )
})

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareEndStates, unsteadySubjects } from '../../src/runs/compareEndStates.ts'
import { EndState } from '../../src/runs/EndState.ts'
import { start, type Started } from '../support/start.ts'

const fpr = { product_type: 'fpr', groupId: 1, ip_count: 2 }
const sticky = {
  ttl: 10,
  sessions: [
    { server: 'us1', session: 'a' },
    { server: 'us1', session: 'b' },
  ],
}

/** The same world with another time and other ids to assign. */
function world(clock: string, first: number): object {
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
          5101: { client: 12, product: 201, sticky },
          5102: { client: 12, product: 201, sticky },
          5103: { client: 12, product: 201, sticky },
        },
      },
    },
  }
}

/** An action of a client, complete or without its last request. */
type Step = (sim: Started, isWhole: boolean) => Promise<void>

async function ok(sim: Started, method: string, path: string, body?: object): Promise<unknown> {
  const { status, json, text } = await sim.call(method, path, body && { body })
  expect(`${status} ${text}`).toMatch(/^200 /)
  return json
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const address = fc.integer({ min: 1, max: 254 })

/** Steps that don't undo each other: each has a key, and only one step per key is taken. */
const step: fc.Arbitrary<{ key: string; take: Step }> = fc.oneof(
  fc
    .record({ pid: fc.constantFrom(101, 102, 201), clientid: fc.constantFrom(11, 12), id: fc.nat() })
    .map(({ pid, clientid, id }) => ({
      key: `order ${id}`,
      take: async (sim: Started, isWhole: boolean) => {
        if (isWhole) await ok(sim, 'POST', `/api/product/${pid}`, { clientid })
      },
    })),
  address.map((n) => ({
    key: `setip ${n}`,
    take: async (sim: Started, isWhole: boolean) => {
      const order = { clientid: 11, ...(isWhole && { setip: `198.51.100.${n}` }) }
      await ok(sim, 'POST', '/api/product/101', order)
    },
  })),
  fc
    .record({
      n: address,
      update: fc.constantFrom({ password: base64('of its own') }, { update_list: 'true' }, { setip: '' }),
    })
    .map(({ n, update }) => ({
      key: `ordered ${n}`,
      take: async (sim: Started, isWhole: boolean) => {
        const ordered = await ok(sim, 'POST', '/api/product/102', { clientid: 12 })
        const { serviceId } = ordered as { serviceId: number }
        const body = 'setip' in update ? { setip: `203.0.113.${n}` } : update
        if (isWhole) await ok(sim, 'PUT', `/api/service/${serviceId}`, body)
      },
    })),
  fc.constantFrom(5001, 5002).chain((id) =>
    fc
      .constantFrom({ setip: `192.0.2.${id - 4900}` }, { password: base64('new') }, { update_list: 'true' })
      .map((body) => ({
        key: `update ${id} ${Object.keys(body).join()}`,
        take: async (sim: Started, isWhole: boolean) => {
          if (isWhole) await ok(sim, 'PUT', `/api/service/${id}`, body)
        },
      })),
  ),
  fc.record({ session: fc.constantFrom('a', 'b'), id: fc.nat() }).map(({ session, id }) => ({
    key: `rotate ${id}`,
    take: async (sim: Started, isWhole: boolean) => {
      if (isWhole) await ok(sim, 'GET', `/api/sticky/rotate/5101/us1/${session}`)
    },
  })),
  fc.constantFrom('/api/sticky/changettl/5102/3', '/api/sticky/resetall/5103').map((path) => ({
    key: path,
    take: async (sim: Started, isWhole: boolean) => {
      if (isWhole) await ok(sim, 'GET', path)
    },
  })),
)

describe('effects of a client on the world', () => {
  test('are equal for two runs of the same client, and differ if a call is missing', {
    timeout: 60_000,
  }, async () => {
    const usual = await start({ scenario: world('2026-01-15T12:00:00Z', 6000) })
    const other = await start({ scenario: world('2026-03-31T23:59:59Z', 8100) })
    const run = async (sim: Started, steps: readonly Step[], missing?: Step) => {
      await sim.simulation.reset()
      const endState = new EndState(sim.simulation)
      for (const take of steps) await take(sim, take !== missing)
      return endState.effects
    }
    const steps = fc.uniqueArray(step, { selector: ({ key }) => key, minLength: 1, maxLength: 6 })
    const property = fc.asyncProperty(
      steps.chain((all) =>
        fc.record({
          inOrder: fc.constant(all.map(({ take }) => take)),
          shuffled: fc.shuffledSubarray(
            all.map(({ take }) => take),
            { minLength: all.length },
          ),
          missing: fc.constantFrom(...all.map(({ take }) => take)),
        }),
      ),
      async ({ inOrder, shuffled, missing }) => {
        const effects = await run(usual, inOrder)
        expect(effects).not.toEqual([])
        expect(compareEndStates(effects, await run(other, shuffled))).toEqual({ missing: [], added: [] })
        const short = compareEndStates(effects, await run(other, shuffled, missing))
        expect(short.missing.length + short.added.length).toBeGreaterThan(0)
      },
    )
    await fc.assert(property, { numRuns: 40 })
  })

  test('are described without order ids, times and credentials', async () => {
    const sim = await start({ scenario: world('2026-01-15T12:00:00Z', 6000) })
    const endState = new EndState(sim.simulation)
    await ok(sim, 'POST', '/api/product/101', { clientid: 11, setip: '198.51.100.7' })
    await ok(sim, 'PUT', '/api/service/5001', {
      setip: '192.0.2.9',
      password: base64('sesame'),
      update_list: 'true',
    })
    await ok(sim, 'GET', '/api/sticky/rotate/5101/us1/a')
    await ok(sim, 'GET', '/api/sticky/changettl/5102/3')
    await ok(sim, 'GET', '/api/sticky/resetall/5103')
    await sim.call('PATCH', '/__admin/accounts/reseller', {
      body: { clients: { 12: null, 13: { email: 'chloe@example.net' } }, services: { 5002: null } },
    })
    const { added, missing } = compareEndStates([], endState.effects)
    expect(missing).toEqual([])
    const order = `reseller: new service (billingcycle Monthly, bindedip 198.51.100.7, client 11, ip_count 2, price 20, product 101, product_name Ten, product_type fpr, status Active)`
    expect(added.map((line) => line.replace(/fingerprint \w{8}/, 'fingerprint …')).toSorted()).toEqual([
      'reseller: client 12: removed',
      'reseller: credit: 980.00',
      'reseller: new client (email chloe@example.net): added',
      'reseller: new invoice (amount 20, status Paid): added',
      `${order}: added`,
      'reseller: service 5001 bindedip: 192.0.2.9',
      'reseller: service 5001 list_updated_at: a time',
      'reseller: service 5001 list_version: 1',
      'reseller: service 5001 password: set (fingerprint …)',
      'reseller: service 5002: removed',
      'reseller: service 5101 sticky sessions: with (rotations 1, server us1, session a)',
      'reseller: service 5101 sticky sessions: without (rotations 0, server us1, session a)',
      'reseller: service 5102 sticky ttl: 3',
      'reseller: service 5103 sticky sessions: without (rotations 0, server us1, session a)',
      'reseller: service 5103 sticky sessions: without (rotations 0, server us1, session b)',
    ])
    expect(added.join()).not.toContain('sesame')
  })

  test('are collected across resets, loads and restores, and in accounts that the client creates and deletes', async () => {
    const sim = await start()
    const admin = (method: string, path: string, body?: object) =>
      sim.call<{ id: string; login: string }>(method, `/__admin${path}`, body && { body })
    const order = (login = 'reseller') =>
      sim.call('POST', '/api/product/101', { login, body: { clientid: 11 } })
    const endState = new EndState(sim.simulation)
    await order()
    const { json: snapshot } = await admin('POST', '/snapshots')
    await admin('POST', '/reset')
    await order()
    await admin('POST', `/snapshots/${snapshot.id}/restore`)
    await order()
    await admin('POST', '/scenarios/two-accounts/load')
    await admin('PATCH', '/accounts/another', {
      credit: 40,
      products: { 101: { productName: 'Ten', price: 20, product_type: 'fpr' } },
    })
    await order('another')
    for (const login of [undefined, 'mine']) {
      const { json: made } = await admin('POST', '/accounts', { login })
      await order(made.login)
      await admin('DELETE', `/accounts/${made.login}`)
    }
    const orders = compareEndStates([], endState.effects)
      .added.filter((line) => line.includes('new service'))
      .map((line) => line.replace(/\(.*?\)/, '…'))
    expect(orders.toSorted()).toEqual([
      'accounts it created: new service …: added (2 times)',
      'another: new service …: added',
      'reseller: new service …: added (3 times)',
    ])
  })

  test('include orders whose services are deleted afterwards', async () => {
    const sim = await start({ scenario: world('2026-01-15T12:00:00Z', 6000) })
    const endState = new EndState(sim.simulation)
    await ok(sim, 'POST', '/api/product/101', { clientid: 11 })
    const body = { services: { 6000: null }, invoices: { 6000: null }, credit: 1000 }
    expect((await sim.call('PATCH', '/__admin/accounts/reseller', { body })).status).toBe(200)
    const { added } = compareEndStates([], endState.effects)
    expect(added.map((line) => line.replace(/\(.*\)/, '…'))).toEqual([
      'reseller: new service …: added',
      'reseller: new service …: removed',
      'reseller: new invoice …: added',
      'reseller: new invoice …: removed',
    ])
  })

  test('do not include what the timeline does, whether it happens in one run and not in the other', async () => {
    const scenario = world('2026-01-15T12:00:00Z', 6000) as ReturnType<typeof JSON.parse>
    Object.assign(scenario.accounts.reseller, {
      limits: { activation: 60, payment: 60 },
      assumptions: { orderedService: 'Pending', orderedInvoice: 'Unpaid' },
      timeline: [{ after: 'PT1M', patch: { services: { 5001: { status: 'Suspended' } } } }],
    })
    const sim = await start({ scenario })
    const effectsAfter = async (by: string) => {
      await sim.simulation.reset()
      const endState = new EndState(sim.simulation)
      await ok(sim, 'POST', '/api/product/101', { clientid: 11 })
      await sim.call('POST', '/__admin/clock/advance', { body: { by } })
      return endState.effects
    }
    const [before, after] = [await effectsAfter('PT1S'), await effectsAfter('PT2M')]
    expect((await sim.call<{ status: string }>('GET', '/api/service/5001')).json.status).toBe('Suspended')
    expect(compareEndStates(before, after)).toEqual({ missing: [], added: [] })
    expect(before.map(({ subject }) => subject.replace(/\(.*\)/, '…'))).toEqual([
      'reseller: new service …',
      'reseller: new invoice …',
    ])
  })

  test('come from neither reads nor faults nor the clock', async () => {
    const sim = await start()
    const endState = new EndState(sim.simulation)
    await ok(sim, 'GET', '/api/services')
    await sim.call('POST', '/__admin/faults', { body: { operation: 'getCredit', drop: 'reset', times: 1 } })
    await sim.call('POST', '/__admin/clock/advance', { body: { by: 'PT1M' } })
    await sim.call('POST', '/__admin/accounts')
    expect(endState.effects).toEqual([])
  })
})

test('subjects that differ between equal runs are named, and not compared', () => {
  const effect = (subject: string, value: string) => ({ subject, value })
  const one = [effect('a', '1'), effect('b', '1'), effect('c', '1'), effect('c', '2')]
  const other = [effect('c', '2'), effect('c', '1'), effect('b', '2'), effect('b', '1'), effect('a', '2')]
  const ignored = unsteadySubjects(one, other)
  expect([...ignored].toSorted()).toEqual(['a', 'b'])
  expect(compareEndStates(one, [effect('c', '1'), effect('c', '1')], ignored)).toEqual({
    missing: ['c: 2'],
    added: ['c: 1'],
  })
})

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { World } from '../../src/world/World.ts'
import { start, startForAll } from '../support/start.ts'

const noon = '2026-01-15T12:00:00Z'
const shared = startForAll()

/** The world that a scenario of one account gives. */
async function worldOf(account: object, more: object = {}): Promise<World> {
  const { simulation } = shared()
  const text = JSON.stringify({
    description: 'x',
    clock: noon,
    accounts: { ana: { password: 's', ...account } },
    ...more,
  })
  await simulation.load(await simulation.library.read(text, 'test'))
  return structuredClone(simulation.store.peek('ana') as World)
}

const generate = { clients: 20, products: 10, services: 60, invoices: 60 }
const kinds = ['clients', 'products', 'services', 'invoices'] as const
const seeds = fc.integer({ min: -(2 ** 31), max: 2 ** 53 - 1 })

describe('the seed', () => {
  test('gives the same world again, and another seed gives another', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, seeds, async (seed, other) => {
        fc.pre(seed !== other)
        const world = await worldOf({ generate }, { seed })
        expect(await worldOf({ generate }, { seed })).toEqual(world)
        const elsewhere = await worldOf({ generate }, { seed: other })
        for (const kind of kinds) expect(elsewhere[kind]).not.toEqual(world[kind])
      }),
      { numRuns: 10 },
    )
  })

  test('of an account overrides that of the scenario', async () => {
    const { seed: _seed, ...world } = await worldOf({ generate, seed: 7 }, { seed: 8 })
    expect(await worldOf({ generate }, { seed: 7 })).toMatchObject(world)
  })

  test('gives the same with a running clock, regardless of the second', async () => {
    const { simulation } = await start()
    const text = JSON.stringify({ description: 'x', accounts: { ana: { password: 's', generate } } })
    const load = async () => {
      await simulation.load(await simulation.library.read(text, 'test'))
      return JSON.stringify(simulation.store.peek('ana')?.products)
    }
    expect(await load()).toBe(await load())
  })
})

/** How many records of one world stand otherwise in another, or not at all. */
function changed(before: World, after: World, kind: (typeof kinds)[number]): number {
  return Object.entries(before[kind]).filter(
    ([id, record]) => JSON.stringify(after[kind][id]) !== JSON.stringify(record),
  ).length
}

describe('an additional record', () => {
  test('of each kind, generated: the others stay as they are', async () => {
    const before = await worldOf({ generate })
    const services = await worldOf({ generate: { ...generate, services: generate.services + 1 } })
    for (const kind of ['clients', 'products', 'services'] as const)
      expect(changed(before, services, kind)).toBe(0)
    const invoices = await worldOf({ generate: { ...generate, invoices: generate.invoices + 1 } })
    for (const kind of kinds) expect(changed(before, invoices, kind)).toBe(0)
  })

  test('given explicitly among generated ones: the others stay as they are', async () => {
    const products = { 101: { productName: 'A', price: 5, product_type: 'fpr' } }
    const before = await worldOf({ products, generate })
    const after = await worldOf({
      products,
      generate,
      services: { 4000: { client: 11, product: 101 } },
      invoices: { 8000: { serviceid: 5001, status: 'Paid' } },
    })
    for (const kind of ['clients', 'products', 'services'] as const)
      expect(changed(before, after, kind)).toBe(0)
  })

  test('that others refer to takes its share of them, and no more', async () => {
    const many = { ...generate, services: 1000 }
    const before = await worldOf({ generate: many })
    const after = await worldOf({ generate: { ...many, products: many.products + 1 } })
    const moved = changed(before, after, 'services')
    expect(moved).toBeGreaterThan(0)
    expect(moved).toBeLessThan(300) // one in eleven, more or less
    expect(changed(before, after, 'products')).toBe(0)
  })
})

describe('generated data', () => {
  test('has the requested size and its own ids, in addition to explicit records', async () => {
    const world = await worldOf({
      clients: { 12: { email: 'ben@example.com' } },
      products: { 101: { productName: 'A', price: 5, product_type: 'fpr' } },
      services: { 5002: { client: 12, product: 101, orderid: 7003 } },
      generate,
    })
    expect(kinds.map((kind) => Object.keys(world[kind]).length)).toEqual([21, 11, 61, 60])
    expect(world.clients['12']).toEqual({ email: 'ben@example.com' })
    const orders = Object.values(world.services).map(({ orderid }) => orderid)
    expect(new Set(orders).size).toBe(61)
    expect(world.next.service).toBeGreaterThan(Math.max(...Object.keys(world.services).map(Number)))
    expect(world.next.order).toBeGreaterThan(Math.max(...orders))
    const mails = Object.values(world.clients).map(({ email }) => email)
    expect(new Set(mails).size).toBe(21)
  })

  test('includes what it depends on: services have clients and products, invoices have services', async () => {
    const world = await worldOf({ generate: { invoices: 5 } })
    expect(kinds.map((kind) => Object.keys(world[kind]).length)).toEqual([3, 3, 3, 5])
    for (const { client, product } of Object.values(world.services)) {
      expect(world.clients[client]).toBeDefined()
      expect(world.products[product]).toBeDefined()
    }
    for (const { serviceid } of Object.values(world.invoices)) expect(world.services[serviceid]).toBeDefined()
  })

  test('a thousand services: every response keeps the contract, and no address belongs to anyone', async () => {
    const sim = await start({
      scenario: {
        accounts: {
          reseller: {
            password: 's',
            generate: { clients: 50, products: 20, services: 1000, invoices: 1000 },
          },
        },
      },
    })
    const ids = Object.keys(sim.simulation.store.peek('reseller')?.services ?? {})
    expect(ids).toHaveLength(1000)
    const bound: string[] = []
    for (const id of ids) {
      const { status, json } = await sim.call<{ bindedip?: string; product_type: string; ip_count?: number }>(
        'GET',
        `/api/service/${id}`,
      )
      expect(status).toBe(200)
      if (json.bindedip !== undefined) bound.push(json.bindedip)
      expect(json.ip_count !== undefined).toBe(json.product_type === 'fpr')
    }
    for (const id of Object.keys(sim.simulation.store.peek('reseller')?.products ?? {}))
      expect((await sim.call('GET', `/api/product/${id}`)).status).toBe(200)
    for (const path of ['clients', 'products', 'services', 'billing/invoices'])
      expect((await sim.call('GET', `/api/${path}`)).status).toBe(200)
    expect(new Set(bound).size).toBe(bound.length)
    expect(bound.filter((ip) => !ip.startsWith('198.19.'))).toEqual([])
    const list = await sim.call('GET', `/api/iplist/http-ip/txt/${ids[0]}`)
    for (const line of list.status === 200 ? list.text.trim().split('\n') : [])
      expect(line).toMatch(/^198\.18\.\d+\.\d+:8080$/)
  })

  test('as many services as may be: each address is bound once', async () => {
    const world = await worldOf({ generate: { services: 20_000 } })
    const bound = Object.values(world.services).flatMap(({ bindedip }) => (bindedip ? [bindedip] : []))
    expect(bound.length).toBeGreaterThan(10_000)
    expect(new Set(bound).size).toBe(bound.length)
  })
})

describe('what is omitted', () => {
  test('comes from the product or is generated, so that every response is complete', async () => {
    const world = await worldOf({
      clients: { 11: {} },
      products: {
        101: { productName: 'A', price: 5, product_type: 'fpr', ip_count: 3 },
        201: { productName: 'B', price: 0, product_type: 'ppr' },
      },
      services: { 5001: { service_id: 5001, client: 11, product: 101 }, 5101: { client: 11, product: 201 } },
      invoices: { 9001: { serviceid: 5001, status: 'Refunded' }, 9002: { serviceid: 5001 } },
    })
    expect(world.clients['11']?.email).toMatch(/@example\.com$/)
    expect(world.products['101']).toMatchObject({
      groupId: 1,
      groupName: 'Group 1',
      created_at: '2026-01-15',
      geo: ['US'],
    })
    expect(world.services['5001']).toMatchObject({
      product_name: 'A',
      product_type: 'fpr',
      price: 5,
      ip_count: 3,
      status: 'Active',
      billingcycle: 'Monthly',
      orderid: 7001,
    })
    expect(world.services['5101']).toMatchObject({
      billingcycle: 'Free',
      usage: { stats: {} },
      sticky: { ttl: 10, sessions: [] },
    })
    expect(world.services['5101']).not.toHaveProperty('ip_count')
    expect(world.invoices['9001']).toMatchObject({
      amount: 5,
      date_paid: expect.any(String),
      date_refunded: '2026-01-15',
    })
    expect(world.invoices['9002']).toMatchObject({ status: 'Paid', date_paid: expect.any(String) })
    expect(Date.parse(world.services['5001']?.nextduedate ?? '')).toBeGreaterThan(Date.parse('2026-01-15'))
  })

  test('is the usage of a service that only sets its limit', async () => {
    const sim = await start({
      scenario: {
        accounts: {
          reseller: {
            password: 's',
            products: { 201: { productName: 'B', price: 1, product_type: 'ppr' } },
            services: { 5101: { client: 11, product: 201, usage: { limit: 10 } } },
          },
        },
      },
    })
    expect((await sim.call('GET', '/api/rate/5101')).json).toEqual([{ limit: 10, rate: 0 }])
  })

  test('cannot be written back into the scenario by a patch', async () => {
    const sim = await start({
      scenario: {
        accounts: {
          reseller: {
            password: 's',
            products: { 201: { productName: 'B', price: 1, product_type: 'ppr' } },
            services: {
              5101: { client: 11, product: 201, usage: { limit: 10, stats: { '2026-01-14': 1 } } },
            },
          },
        },
      },
    })
    const patched = await sim.call('PATCH', '/__admin/accounts/reseller', {
      body: { services: { 5101: { usage: { limit: 99, stats: { '2026-01-15': 5 } } } } },
    })
    expect(patched.status).toBe(200)
    expect((await sim.call('GET', '/api/rate/5101')).json).toEqual([{ limit: 99, rate: 6 }])
    expect((await sim.call('POST', '/__admin/reset')).status).toBe(200)
    expect((await sim.call('GET', '/api/rate/5101')).json).toEqual([{ limit: 10, rate: 1 }])
  })
})

import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { State } from '../../../src/state/State.ts'
import type { SharedStore, SharedStoreSettings } from '../../../src/storage/shared/SharedStore.ts'
import type { World } from '../../../src/world/World.ts'
import type { Ordered } from '../../../src/world/ordering.ts'
import { hasClocks, RedisServer } from '../../support/redis.ts'
import { looking, newWorld, openReplica, ordering, stateOf } from '../stores.ts'

/* The store's clock is another one than ours, or is set while we work: nothing but a warning comes of it. */

const hour = 3_600_000
const skews = [
  { clock: '+3600s', skew: hour },
  { clock: '-3600s', skew: -hour },
]
const differs = /^The clock of this machine differs by 3(?:599|600)\.?\d* s from the store's\./

function rich(): State {
  const credit = 1_000_000_000
  return { ...stateOf(), accounts: { ana: newWorld({ credit }), ben: newWorld({ credit }) } }
}

async function server(clock: string): Promise<RedisServer> {
  const redis = await RedisServer.startWithClock(clock)
  onTestFinished(() => redis.stop())
  return redis
}

async function replica(
  redis: RedisServer,
  settings: Partial<SharedStoreSettings> = {},
): Promise<{ store: SharedStore; warnings: string[] }> {
  const opened = await openReplica(redis.url, rich(), settings)
  onTestFinished(() => opened.store.close())
  return opened
}

async function timeOf(redis: RedisServer): Promise<number> {
  const [seconds] = (await redis.command('TIME')) as [string]
  return Number(seconds) * 1000
}

/** Waits until a moment is over: what happens next is later beyond doubt, however late a message is. */
async function later(store: SharedStore): Promise<void> {
  const { moment } = store
  await expect.poll(() => store.moment, { interval: 10 }).toBeGreaterThan(moment + 100)
}

/** Orders at each in turn. @returns what was ordered, in order */
async function orderAt(stores: readonly SharedStore[], times: number): Promise<number[]> {
  const ids: number[] = []
  for (let i = 0; i < times; i++) {
    const store = stores[i % stores.length] as SharedStore
    const ordered = (await store.transact('ana', ordering('ana'), { moment: store.moment })) as Ordered
    ids.push(ordered.serviceId)
  }
  return ids
}

/** The services and the journal are those of the orders, in their order. */
async function expectOrders(stores: readonly SharedStore[], ids: readonly number[]): Promise<void> {
  for (const store of stores) {
    const world = await store.world('ana')
    expect(world?.version).toBe(ids.length)
    expect(ids.filter((id) => !world?.services[id])).toEqual([])
    const { records } = (await store.observations()).journal
    expect(records.map(({ raw }) => raw.id)).toEqual(ids.map((_, index) => index + 1))
    expect(records.map(({ raw }) => raw?.version)).toEqual(ids.map((_, index) => index))
  }
}

/** A reset by one: a request that began before changes nothing at the other, one that begins then does. */
async function expectReset([one, two]: readonly [SharedStore, SharedStore]): Promise<World | undefined> {
  const before = { moment: two.moment }
  await later(two)
  await one.replace(rich())
  await two.transact('ana', ordering('ana'), before)
  expect(await one.world('ana')).toMatchObject({ version: 0 })
  await one.replace(rich())
  await two.transact('ana', ordering('ana'), { moment: two.moment })
  const world = await one.world('ana')
  expect(world).toMatchObject({ version: 1 })
  return world
}

describe.skipIf(!hasClocks)('a store whose clock is another', () => {
  test.for(skews)('by $clock is warned of, once until it is mended', async ({ clock, skew }) => {
    const redis = await server(clock)
    expect(Math.abs((await timeOf(redis)) - Date.now() - skew)).toBeLessThan(2000)
    const { store, warnings } = await replica(redis)
    const said = (): string[] => warnings.filter((text) => differs.test(text))
    const shown = async (): Promise<string[]> =>
      (await store.health()).warnings.filter((text) => differs.test(text))
    expect(said()).toHaveLength(1)
    expect(await shown()).toHaveLength(1)
    expect(await shown()).toHaveLength(1)
    expect(said()).toHaveLength(1)
    expect((await store.health()).problem).toBeUndefined()
    redis.setClock('+1s')
    expect(await shown()).toEqual([])
    redis.setClock(clock)
    expect(await shown()).toHaveLength(1)
    expect(said()).toHaveLength(2)
  })

  test.for(skews)('by $clock answers as any other', async ({ clock }) => {
    const redis = await server(clock)
    const stores = [(await replica(redis)).store, (await replica(redis)).store] as const
    await expectOrders(stores, await orderAt(stores, 20))
    for (let i = 0; i < 5; i++) await expectReset(stores)
    const { time } = await stores[0].snapshot()
    expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(5000)
  })

  test.for([
    { from: '+0s', to: '+3600s' },
    { from: '+0s', to: '-3600s' },
    { from: '+3600s', to: '+0s' },
    { from: '+0s', to: '+1s' },
  ])('that is set from $from to $to under way answers as before', async ({ from, to }) => {
    const redis = await server(from)
    const stores = [(await replica(redis)).store, (await replica(redis)).store] as const
    const ids = await orderAt(stores, 10)
    redis.setClock(to)
    await expectOrders(stores, [...ids, ...(await orderAt(stores, 10))])
    redis.setClock(from)
    await expectReset(stores)
    redis.setClock(to)
    expect(await expectReset(stores)).toMatchObject({ version: 1 })
  })

  test.for(['+3600s', '-3600s'])(
    'a request that began before it was set to %s is told of a reset',
    async (to) => {
      const redis = await server('+0s')
      const stores = [(await replica(redis)).store, (await replica(redis)).store] as const
      const [one, two] = stores
      const before = { moment: two.moment }
      await two.transact('ana', looking('ana'), before)
      redis.setClock(to)
      await one.replace(rich())
      await two.transact('ana', ordering('ana'), before)
      expect(await one.world('ana')).toMatchObject({ version: 0 })
      expect(await two.transact('ana', ordering('ana'), { moment: two.moment })).toHaveProperty('serviceId')
      expect(await one.world('ana')).toMatchObject({ version: 1 })
    },
  )

  test.for(['+60s', '-60s'])(
    'a request that comes after it was set to %s, and a reset, counts',
    async (to) => {
      const redis = await server('+0s')
      const [one, two] = [(await replica(redis)).store, (await replica(redis)).store]
      await two.transact('ana', ordering('ana'), { moment: two.moment })
      redis.setClock(to)
      await one.replace(rich()) // the other one does not know of either
      expect(await two.transact('ana', ordering('ana'), { moment: two.moment })).toHaveProperty('serviceId')
      expect(await one.world('ana')).toMatchObject({ version: 1 })
    },
  )

  test('goes on for a day while we sleep: what it forgot meanwhile is no loss', async () => {
    const redis = await server('+0s')
    const { store, warnings } = await replica(redis)
    await store.transact('ana', ordering('ana'))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * hour })
    onTestFinished(() => void vi.useRealTimers())
    redis.setClock(`+${25 * 3600}s`)
    expect(await redis.command('KEYS', 'test:t:*')).toEqual([])
    expect(await store.transact('ana', ordering('ana'))).toHaveProperty('serviceId')
    expect(await store.world('ana')).toMatchObject({ version: 2 })
    expect(warnings.join()).not.toContain('came back older')
  })

  test('remembers the trips of who is there, however long that goes on', async () => {
    const redis = await server('+0s')
    const { store, warnings } = await replica(redis)
    for (let i = 0; i < 3; i++) {
      await store.transact('ana', ordering('ana'))
      redis.setClock(`+${20 * (i + 1)}h`)
      expect((await store.health()).problem).toBeUndefined()
    }
    expect(await redis.command('KEYS', 'test:t:*')).toHaveLength(1)
    expect(warnings.join()).not.toContain('came back older')
  })

  test('that is put on while a state is loaded loses nothing of it', async () => {
    const redis = await server('+0s')
    await replica(redis, { accountTtl: 400 }) // it looks for what nobody needs, ten times a second
    const { store } = await replica(redis)
    const logins = Array.from({ length: 3000 }, (_, index) => `a${index}`)
    const loading = store.replace(stateOf(...logins))
    await vi.waitUntil(async () => Number(await redis.command('EXISTS', 'test:trash')) === 1, { interval: 1 })
    redis.setClock('+3600s')
    await loading
    expect(await store.logins()).toEqual(logins)
    expect(Object.keys((await store.all()).accounts)).toEqual(logins)
  })

  test('that is put back while somebody who ended has a turn keeps nobody waiting', async () => {
    const redis = await server('+0s')
    const { store } = await replica(redis)
    const epoch = String(await redis.command('GET', 'test:epoch'))
    const till = (await timeOf(redis)) + 250
    await redis.command('HSET', `test:${epoch}:turns`, 'ana', `another ${till}`)
    redis.setClock('-3600s')
    expect(await store.transact('ana', ordering('ana'))).toHaveProperty('serviceId')
  })

  test('says when accounts end, and nobody else', async () => {
    const redis = await server('2026-01-15 12:00:00') // and there it stands
    const { store } = await replica(redis, { accountTtl: 1000 })
    await store.create('zoe', newWorld({ origin: { scenario: null, token: 'tok_zoe' } }))
    const idle = store.stats().trips
    await expect.poll(() => store.stats().trips - idle).toBeGreaterThan(12) // six looks, 1.5 s
    expect(await store.logins()).toEqual(['ana', 'ben', 'zoe'])
    redis.setClock('2026-01-15 11:00:00')
    const back = store.stats().trips
    await expect.poll(() => store.stats().trips - back).toBeGreaterThan(4)
    expect(await store.logins()).toEqual(['ana', 'ben', 'zoe'])
    redis.setClock('2026-01-15 12:00:01')
    await expect.poll(() => store.logins()).toEqual(['ana', 'ben'])
  })
})

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { State } from '../../src/state/State.ts'
import type { ReadView, Store, StoreEvent } from '../../src/state/Store.ts'
import type { World } from '../../src/world/World.ts'
import { hasRedis, RedisServer } from '../support/redis.ts'
import { folder } from '../support/start.ts'
import {
  looking,
  newWorld,
  openLocal,
  openReplica,
  ordering,
  paying,
  price,
  recordOf,
  stateOf,
} from './stores.ts'

/*
 * What a store promises, whatever it is made of. Of the shared one two replicas take turns: what the one was told, the
 * other knows.
 */

let redis: RedisServer | undefined
let prefix = 0
beforeAll(async () => {
  if (hasRedis) redis = await RedisServer.start()
})
afterAll(() => redis?.stop())

interface Options {
  state?: State
  journal?: number
}

/** Opens a store until the end of the test; each call of what is returned may be another replica. */
type Open = (options?: Options) => Promise<() => Store>

async function opened(...stores: Store[]): Promise<() => Store> {
  onTestFinished(async () => {
    await Promise.all(stores.map((store) => store.close()))
  })
  let turn = 0
  return () => stores[turn++ % stores.length] as Store
}

const bodies: Record<string, Open> = {
  memory: async ({ state = stateOf('ana', 'ben'), ...more } = {}) => opened(await openLocal(state, more)),
  file: async ({ state = stateOf('ana', 'ben'), ...more } = {}) =>
    opened(await openLocal(state, { file: join(folder(), 'db.json'), ...more })),
  'shared by two': async ({ state, journal = 1000 } = {}) => {
    const settings = { prefix: `contract${++prefix}`, journal }
    const url = redis?.url as string
    const first = await openReplica(url, state, settings)
    return opened(first.store, (await openReplica(url, state, settings)).store)
  },
}

describe.each(Object.entries(bodies))('a store %s', (name, open) => {
  describe.skipIf(name.startsWith('shared') && !hasRedis)('promises that it', () => {
    const order = async (store: Store, login = 'ana', readView?: ReadView): Promise<unknown> =>
      store.transact(login, ordering(login), readView)

    test('numbers every change, and runs none twice', async () => {
      const store = await open()
      const ordered = await Promise.all(Array.from({ length: 7 }, () => order(store())))
      const services = ordered.map((one) => (one as { serviceId: number }).serviceId)
      expect(new Set(services).size).toBe(7)
      const world = (await store().world('ana')) as World
      expect(world.version).toBe(7)
      expect(world.credit).toBe(250 - 7 * price)
      expect(await order(store())).toBe('insufficient-funds')
      expect((await store().world('ana'))?.version).toBe(7)
      expect((await store().world('ben'))?.version).toBe(0)
    })

    test('keeps a record of every request, in the order of its ids', async () => {
      const store = await open()
      for (let i = 0; i < 3; i++) await order(store())
      await store().transact('ben', looking('ben'))
      await store().transact('nobody', looking('nobody'))
      await store().transact(undefined, () => ({ value: 1, record: recordOf(null, undefined) }))
      const { journal, coverage } = await store().observations()
      expect(journal.records.map(({ raw }) => raw.id)).toEqual([1, 2, 3, 4, 5, 6])
      expect(journal.records.map(({ raw }) => raw.account)).toEqual(['ana', 'ana', 'ana', 'ben', null, null])
      expect(journal.records.map(({ raw }) => raw.version)).toEqual([0, 1, 2, 0, null, null])
      expect(journal.records[0]?.raw.birth).toBe((await store().rewindRange('ana'))?.birth)
      expect(journal.records[0]?.entry.request.headers).toEqual({
        host: 'localhost',
        authorization: '[redacted]',
      })
      expect(journal.records[2]?.raw.change).toMatchObject({ credit: 250 - 3 * price })
      expect(hitsOf(coverage.report([]))).toBe(6)
      expect(hitsOf((await store().observations('ben')).coverage.report([], 'ben'))).toBe(1)
    })

    test('drops the oldest records, and counts them', async () => {
      const store = await open({ journal: 3 })
      for (let i = 0; i < 5; i++) await store().transact('ana', looking('ana'))
      const { journal } = await store().observations()
      expect(journal.records.map(({ raw }) => raw.id)).toEqual([3, 4, 5])
      expect(journal).toMatchObject({ total: 5, dropped: 2 })
      await store().clearJournal()
      await store().transact('ana', looking('ana'))
      expect((await store().observations()).journal).toMatchObject({ total: 1, dropped: 0 })
    })

    test('with a journal of length 0 only counts requests', async () => {
      const store = await open({ journal: 0 })
      await order(store())
      expect((await store().observations()).journal).toMatchObject({ total: 1, dropped: 1, records: [] })
      expect((await store().rewindRange('ana'))?.oldest).toBe(1)
    })

    test('clears the journal of one account; coverage stays', async () => {
      const store = await open()
      await order(store())
      await store().transact('ben', looking('ben'))
      expect((await store().observations()).journal.total).toBe(2)
      await store().clearJournal('ana')
      const { journal, coverage } = await store().observations()
      expect(journal.records.map(({ raw }) => raw.account)).toEqual(['ben'])
      expect(hitsOf(coverage.report([]))).toBe(2)
    })

    test('marks a request whose answer was lost', async () => {
      const store = await open()
      const record = recordOf('ana', undefined)
      await store().transact('ana', () => ({ value: 1, record }))
      const one = store()
      expect((await one.observations()).journal.records[0]?.raw.lost).toBe(false)
      one.markLost(record)
      await expect.poll(async () => (await store().observations()).journal.records[0]?.raw.lost).toBe(true)
    })

    test('a step that fails changes nothing, and blocks nobody', async () => {
      const store = await open()
      const one = store()
      const failing = (async () =>
        one.transact('ana', () => {
          throw new Error('a bug')
        }))()
      const after = order(one)
      await expect(failing).rejects.toThrow('a bug')
      expect(await after).toMatchObject({ serviceId: 5104 })
      expect((await store().world('ana'))?.version).toBe(1)
    })

    test('has no account with a name inherited from Object', async () => {
      const store = await open()
      for (const login of ['__proto__', 'constructor', ''])
        expect(await store().transact(login, (world) => ({ value: world === undefined }))).toBe(true)
    })

    test('a request that began before a reset changes nothing after it, and leaves no record', async () => {
      const store = await open()
      const { moment } = store()
      await store().transact('ana', looking('ana'), { moment })
      await new Promise((resolve) => setTimeout(resolve, 5))
      await store().replace(stateOf('ana'))
      expect(await order(store(), 'ana', { moment })).toMatchObject({ amount: price })
      expect(await store().transact('ana', looking('ana'), { moment: store().moment })).toBe(0)
      expect((await store().observations()).journal.total).toBe(1)
    })

    test('a request whose world was replaced continues with the old one', async () => {
      const store = await open()
      const one = store()
      const readView: ReadView = { moment: one.moment }
      readView.world = await one.transact('ana', (world) => ({ value: world }), readView)
      await store().remove('ana')
      expect(
        await one.transact('ana', (world) => ({ value: world?.credit, change: { credit: 1 } }), readView),
      ).toBe(250)
      await store().create('ana', newWorld({ credit: 70 }))
      expect(
        await one.transact('ana', (world) => ({ value: world?.credit, change: { credit: 1 } }), readView),
      ).toBe(250)
      expect((await store().world('ana'))?.credit).toBe(70)
    })

    test('adds, replaces and deletes accounts', async () => {
      const store = await open()
      expect(await store().create('zoe', newWorld({ credit: 3 }))).toBe(true)
      expect(await store().create('zoe', newWorld())).toBe(false)
      expect(await store().logins()).toEqual(['ana', 'ben', 'zoe'])
      await store().transact('zoe', paying(4))
      await order(store())
      await store().transact('zoe', looking('zoe'))
      const before = await store().rewindRange('zoe')
      await store().replaceAccount('zoe', newWorld({ credit: 5 }))
      expect(await store().world('zoe')).toMatchObject({ credit: 5, version: 0 })
      expect((await store().rewindRange('zoe'))?.birth).not.toBe(before?.birth)
      expect(await store().worldAt('zoe', before?.birth as number, 0)).toBeUndefined()
      const { journal, coverage } = await store().observations()
      expect(journal.records.map(({ raw }) => raw.account)).toEqual(['ana'])
      expect(hitsOf(coverage.report([]))).toBe(1)
      expect(await store().restore('before-load')).toEqual({ id: 'before-load', scenario: 'default' })
      expect((await store().world('zoe'))?.credit).toBe(4)
      expect((await store().world('ana'))?.version).toBe(1)
      // To undo twice is to redo.
      await store().restore('before-load')
      expect((await store().world('zoe'))?.credit).toBe(5)
      await store().restore('before-load')
      expect((await store().world('zoe'))?.credit).toBe(4)
      const removed = await Promise.all([1, 2, 3].map(() => store().remove('zoe')))
      expect(removed.filter(Boolean)).toHaveLength(1)
      expect(await store().remove('zoe')).toBe(false)
      expect(await store().world('zoe')).toBeUndefined()
      expect(await store().logins()).toEqual(['ana', 'ben'])
    })

    test('a replaced account keeps its place in the list', async () => {
      const store = await open()
      for (let i = 0; i < 2; i++) await store().replaceAccount('ana', newWorld())
      expect(await store().logins()).toEqual(['ana', 'ben'])
      await store().restore('before-load')
      expect(Object.keys((await store().all()).accounts)).toEqual(['ana', 'ben'])
      await store().remove('ana')
      await store().create('ana', newWorld())
      expect(await store().logins()).toEqual(['ben', 'ana'])
    })

    test('loads another state, and restores the previous one', async () => {
      const store = await open()
      await order(store())
      await store().replace({
        ...stateOf('carl'),
        scenario: { name: 'other', document: { description: '', accounts: {} } },
      })
      expect(await store().logins()).toEqual(['carl'])
      expect(await store().scenario()).toMatchObject({ name: 'other' })
      expect((await store().observations()).journal.total).toBe(0)
      expect(hitsOf((await store().observations()).coverage.report([]))).toBe(0)
      await store().transact('carl', looking('carl'))
      expect((await store().observations()).journal.records[0]?.raw.id).toBe(2)
      expect(await store().snapshots()).toMatchObject([{ id: 'before-load', scenario: 'default' }])
      expect(await store().restore('before-load')).toEqual({ id: 'before-load', scenario: 'default' })
      expect(await store().logins()).toEqual(['ana', 'ben'])
      expect((await store().world('ana'))?.version).toBe(1)
      expect((await store().observations()).journal.total).toBe(1)
      await store().restore('before-load')
      expect(await store().logins()).toEqual(['carl'])
      await store().restore('before-load')
      expect(await store().logins()).toEqual(['ana', 'ben'])
    })

    test('takes snapshots of everything, and restores them', async () => {
      const store = await open()
      await order(store())
      const { id, scenario } = await store().snapshot()
      expect({ id, scenario }).toEqual({ id: 's1', scenario: 'default' })
      await order(store())
      await store().remove('ben')
      expect((await store().snapshot()).id).toBe('s2')
      expect(await store().restore('s1')).toEqual({ id: 's1', scenario: 'default' })
      expect((await store().all()).accounts).toMatchObject({ ana: { version: 1 }, ben: { version: 0 } })
      expect((await store().snapshots()).map((one) => one.id)).toEqual(['s1', 's2'])
      expect(await store().restore('s9')).toBeUndefined()
    })

    test('has every version of a world within reach', async () => {
      const store = await open({ journal: 300 })
      const filler = 'x'.repeat(500)
      const one = store()
      for (let batch = 0; batch < 10; batch++)
        await Promise.all(
          Array.from({ length: 50 }, async (_, i) =>
            one.transact('ana', () => ({
              value: 0,
              change: { credit: batch * 50 + i + 1, clients: { 11: { email: `${batch}${i}${filler}` } } },
            })),
          ),
        )
      const { birth, oldest } = (await store().rewindRange('ana')) as { birth: number; oldest: number }
      expect(oldest).toBe(200)
      for (const version of [200, 201, 249, 250, 251, 333, 499, 500])
        expect(await store().worldAt('ana', birth, version)).toMatchObject({ version, credit: version })
      expect(await store().worldAt('ana', birth, 199)).toBeUndefined()
      expect(await store().worldAt('ana', birth + 1000, 300)).toBeUndefined()
      expect(await store().worldAt('nobody', birth, 300)).toBeUndefined()
      const present = (await store().world('ana')) as World
      expect(await store().worldAt('ana', birth, 500)).toEqual(present)
    })

    test('rewinds, which is a change like any other', async () => {
      const store = await open()
      await order(store())
      const first = structuredClone(await store().world('ana')) as World
      await order(store())
      const { birth } = (await store().rewindRange('ana')) as { birth: number }
      expect(await store().rewind('ana', birth, 1)).toBe(3)
      expect(await store().world('ana')).toEqual({ ...first, version: 3 })
      expect(await store().rewind('ana', birth, 2)).toBe(4)
      expect((await store().world('ana'))?.credit).toBe(250 - 2 * price)
      expect(await store().rewind('ana', birth + 99, 1)).toBeUndefined()
      const atOnce = await Promise.all([0, 1].map((version) => store().rewind('ana', birth, version)))
      expect(new Set(atOnce)).toEqual(new Set([5, 6]))
      await store().transact('ana', looking('ana'))
      const eras = (await store().observations()).journal.records.map(({ raw }) => raw.era)
      expect(eras[1]).toBe(eras[0])
      expect(eras[2]).toBeGreaterThan(eras[1] as number)
    })

    test('finds an account whose world meets a condition', async () => {
      const store = await open({ state: stateOf('ana', 'ben', 'carl') })
      const condition = { stickyAuth: 'open' }
      expect(await store().whose(condition, '5001')).toBeUndefined()
      const openIt = async (login: string): Promise<unknown> =>
        store().transact(login, (world) => ({
          value: 0,
          change: {
            assumptions: { ...(world as World).assumptions, stickyAuth: 'open' },
          },
        }))
      await openIt('ben')
      await openIt('carl')
      await store().transact('ben', () => ({ value: 0, change: { services: { 5001: null } } }))
      expect(await store().whose(condition, '5001')).toBe('carl')
      expect(await store().whose(condition, '77')).toBe('ben')
      expect(await store().whose({ stickyAuth: 'enforced' }, '5001')).toBe('ana')
      expect(new Set((await store().readings()).map(({ assumptions }) => assumptions.stickyAuth))).toEqual(
        new Set(['enforced', 'open']),
      )
      expect(await store().readings('ben')).toMatchObject([{ assumptions: { stickyAuth: 'open' } }])
      expect(await store().readings('nobody')).toEqual([])
    })

    test('notifies its listeners', async () => {
      const store = await open()
      const listening = store()
      const events: StoreEvent[] = []
      const off = listening.on((event) => events.push(event))
      await listening.observations()
      await order(store())
      await store().create('zoe', newWorld())
      await store().remove('zoe')
      await store().clearJournal('ana')
      await store().replace(stateOf('ana'))
      await expect.poll(() => events.at(-1)?.type).toBe('reset')
      expect(events.map((event) => (event.type === 'request' ? event.record.raw.id : event))).toMatchObject([
        { type: 'change', account: 'ana', change: { credit: 250 - price } },
        1,
        { type: 'change', account: 'zoe', change: {} },
        { type: 'change', account: 'zoe', change: null },
        { type: 'cleared', account: 'ana' },
        { type: 'reset', scenario: 'default' },
      ])
      off()
      await order(store())
      expect(events).toHaveLength(6)
    })
  })
})

function hitsOf({ operations }: { operations: { responses: { hits: number }[] }[] }): number {
  return operations.flatMap(({ responses }) => responses).reduce((sum, { hits }) => sum + hits, 0)
}

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { State } from '../../../src/state/State.ts'
import type { StoreEvent } from '../../../src/state/Store.ts'
import type { SharedStore, SharedStoreSettings } from '../../../src/storage/shared/SharedStore.ts'
import type { World } from '../../../src/world/World.ts'
import { hasRedis, RedisServer } from '../../support/redis.ts'
import { looking, newWorld, openReplica, ordering, paying, price, recordOf, stateOf } from '../stores.ts'
import { checkHistory, type Observation } from './checkHistory.ts'

/* Several replicas on one Redis are one store: nothing that both of two say can be is untrue. */

let redis: RedisServer
let prefix = 0
beforeAll(async () => {
  if (hasRedis) redis = await RedisServer.start()
})
afterAll(() => redis?.stop())

async function replicas(
  count: number,
  state: State = stateOf('ana', 'ben'),
  settings: Partial<SharedStoreSettings> = {},
): Promise<SharedStore[]> {
  const named = { prefix: `consistency${++prefix}`, ...settings }
  const opened: SharedStore[] = []
  for (let i = 0; i < count; i++) opened.push((await openReplica(redis.url, state, named)).store)
  onTestFinished(async () => {
    await Promise.all(opened.map((store) => store.close()))
  })
  return opened
}

describe.skipIf(!hasRedis)('replicas on one Redis', () => {
  test('never spend the same money twice', async () => {
    const stores = await replicas(3, { ...stateOf(), accounts: { ana: newWorld({ credit: 10 * price }) } })
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (stores[i % 3] as SharedStore).transact('ana', ordering('ana'))),
    )
    const ordered = answers.filter((answer) => typeof answer === 'object')
    expect(ordered).toHaveLength(10)
    expect(new Set(ordered.map(({ serviceId }) => serviceId)).size).toBe(10)
    expect(answers.filter((answer) => answer === 'insufficient-funds')).toHaveLength(40)
    for (const store of stores) expect(await store.world('ana')).toMatchObject({ credit: 0, version: 10 })
    const { journal } = await (stores[0] as SharedStore).observations()
    expect(journal.total).toBe(50)
    expect(new Set(journal.records.map(({ raw }) => raw.id)).size).toBe(50)
  })

  test('are linearizable per account', async () => {
    const stores = await replicas(3)
    const seen: Record<string, Observation[]> = { ana: [], ben: [] }
    const clientsBefore = Object.keys(newWorld().clients).length
    let next = 0
    const client = async (random: () => number): Promise<void> => {
      for (let i = 0; i < 60; i++) {
        const store = stores[Math.floor(random() * 3)] as SharedStore
        const login = random() < 0.7 ? 'ana' : 'ben'
        const credit = random() < 0.5 ? ++next : undefined
        const began = performance.now()
        const found = await store.transact(login, (world) => {
          const { version, credit: present, clients } = world as World
          return credit === undefined
            ? { value: { version, credit: present, clients: Object.keys(clients).length } }
            : {
                value: { version: version + 1, credit, clients: Object.keys(clients).length + 1 },
                change: { credit, clients: { [1000 + credit]: { email: '' } } },
              }
        })
        expect(found.clients - found.version, 'clients that nobody made').toBe(clientsBefore)
        seen[login]?.push({ began, ended: performance.now(), wrote: credit !== undefined, ...found })
        if (random() < 0.3) await sleep(random() * 3)
      }
    }
    await Promise.all(Array.from({ length: 24 }, (_, seed) => client(chance(seed))))
    for (const observations of Object.values(seen)) {
      expect(observations.length).toBeGreaterThan(300)
      expect(checkHistory(observations)).toEqual([])
    }
    const conflicts = stores.reduce((sum, store) => sum + store.stats().conflicts, 0)
    expect(conflicts).toBeGreaterThan(10) // else nobody was in anybody's way
  })

  test('see a reset immediately, whichever replica made it', async () => {
    const [one, two] = (await replicas(2)) as [SharedStore, SharedStore]
    for (let i = 1; i <= 20; i++) {
      const storm = Promise.all(
        Array.from({ length: 20 }, () => two.transact('ana', ordering('ana'), { moment: two.moment })),
      )
      await sleep(2)
      await one.replace(stateOf('ana'))
      expect((await two.world('ana'))?.version).toBe(0)
      await storm
      expect((await one.world('ana'))?.version).toBe(0)
    }
  })

  test('load a single state if they start at the same time', async () => {
    const settings = { prefix: `together${++prefix}` }
    const opened = await Promise.all(
      ['a', 'b', 'c', 'd'].map((login) => openReplica(redis.url, stateOf(login), settings)),
    )
    onTestFinished(async () => {
      await Promise.all(opened.map(({ store }) => store.close()))
    })
    const logins = await Promise.all(opened.map(({ store }) => store.logins()))
    expect(new Set(logins.map(String)).size).toBe(1)
    expect(opened.filter(({ joined }) => joined)).toHaveLength(3)
    const [login] = logins[0] as [string]
    for (const { store } of opened) await store.transact(login, ordering(login))
    expect((await opened[0]?.store.world(login))?.version).toBe(4)
    await expect
      .poll(async () => (await redis.command('KEYS', `${settings.prefix}:*:w:*`)) as string[])
      .toHaveLength(1)
  })

  test('limit the number of accounts, and delete idle ones', async () => {
    const [one, two] = (await replicas(2, stateOf('ana'), { maxAccounts: 3, accountTtl: 400 })) as [
      SharedStore,
      SharedStore,
    ]
    const origin = { scenario: null, token: 'x' }
    await one.create('idle', newWorld({ origin }))
    await two.create('busy', newWorld({ origin }))
    await expect(two.create('more', newWorld())).rejects.toThrow(
      'There are already 3 accounts, and --max-accounts allows 3. Delete 1 first.',
    )
    await expect
      .poll(
        async () => {
          await two.transact('busy', looking('busy'))
          return one.logins()
        },
        { interval: 50 },
      )
      .toEqual(['ana', 'busy'])
    expect(await two.create('more', newWorld())).toBe(true)
    await one.replace(stateOf('a', 'b', 'c', 'd', 'e'))
    await expect(two.create('more', newWorld())).rejects.toThrow(
      'There are already 5 accounts, and --max-accounts allows 3. Delete 3 first.',
    )
  })

  test('deliver every event, even if the connection breaks', async () => {
    const [one, two] = (await replicas(2)) as [SharedStore, SharedStore]
    const versions: number[] = []
    const requests: number[] = []
    const off = one.on((event: StoreEvent) => {
      if (event.type === 'change') versions.push((event.change as { credit: number }).credit)
      if (event.type === 'request') requests.push(event.record.raw.id)
    })
    onTestFinished(off)
    await one.observations()
    for (let i = 1; i <= 300; i++) {
      await two.transact('ana', () => ({
        value: 0,
        change: { credit: i },
        record: recordOf('ana', undefined),
      }))
      if (i % 100 === 50) await redis.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    }
    await expect.poll(() => versions.at(-1)).toBe(300)
    expect(versions).toEqual(Array.from({ length: 300 }, (_, i) => i + 1))
    expect(requests).toHaveLength(300)
  })

  test('show no password in requests from unknown senders', async () => {
    const [one, two] = (await replicas(2)) as [SharedStore, SharedStore]
    await one.create('zoe', newWorld({ password: 'correct-horse' }))
    const record = recordOf(null, undefined, {
      path: '/api/services?x=correct-horse',
      violations: ['correct-horse'],
    })
    await one.transact('zoey', () => ({ value: 0, record }))
    const [kept] = (await two.observations()).journal.records
    expect(JSON.stringify(kept?.entry)).not.toContain('correct-horse')
  })

  test('truncate long bodies before storing them', async () => {
    const [one, two] = (await replicas(2)) as [SharedStore, SharedStore]
    await one.transact('ana', (world) => ({
      value: 0,
      record: recordOf('ana', world, {
        responseBody: JSON.stringify({ password: 'secret', more: 'x'.repeat(200_000) }),
      }),
    }))
    const [kept] = (await two.observations()).journal.records
    expect(kept?.entry.response.body).toMatch(/too long to be kept/)
    expect(kept?.isReproducible).toBe(false)
    expect(kept?.entry.id).toBe(1)
    const [[, fields]] = (await redis.command('XRANGE', await journalKey(), '-', '+')) as [[string, string[]]]
    expect(fields.join('').length).toBeLessThan(50_000)
  })

  test('read a large journal in chunks', async () => {
    const [one, two] = (await replicas(2, stateOf('ana'), { journal: 5000 })) as [SharedStore, SharedStore]
    for (let i = 0; i < 24; i++)
      await Promise.all(Array.from({ length: 100 }, () => one.transact('ana', looking('ana'))))
    const { journal } = await two.observations()
    expect(journal.records.map(({ raw }) => raw.id)).toEqual(Array.from({ length: 2400 }, (_, i) => i + 1))
    await one.transact('ana', paying(1))
    expect((await two.observations()).journal.total).toBe(2400)
  })

  test('only join replicas with the same contract, journal limit and readings', async () => {
    const settings = { prefix: `joining${++prefix}` }
    const { store } = await openReplica(redis.url, stateOf('ana'), settings)
    onTestFinished(() => store.close())
    for (const other of [{ journal: 5 }, { assumptions: { geo: 'object' as const } }])
      await expect(openReplica(redis.url, stateOf('ana'), { ...settings, ...other })).rejects.toThrow(
        /run with a different contract, --journal, --assume or version/,
      )
  })

  async function journalKey(): Promise<string> {
    const keys = (await redis.command('KEYS', `consistency${prefix}:*:j`)) as string[]
    return keys[0] as string
  }
})

/** Numbers from 0 to 1, the same for the same seed. */
function chance(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

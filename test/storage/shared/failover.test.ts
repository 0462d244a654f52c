import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { SharedStore } from '../../../src/storage/shared/SharedStore.ts'
import { StorageError } from '../../../src/store/StorageError.ts'
import type { Ordered } from '../../../src/world/ordering.ts'
import { RedisPair } from '../../support/RedisPair.ts'
import { hasRedis } from '../../support/redis.ts'
import { looking, newWorld, openReplica, ordering, paying, stateOf } from '../stores.ts'

/* An address leads to a primary, and then to what was its replica. */

async function replica(
  { address }: RedisPair,
  journal = 1000,
): Promise<{ store: SharedStore; warnings: string[] }> {
  const state = { ...stateOf(), accounts: { ana: newWorld({ credit: 1_000_000_000 }) } }
  const opened = await openReplica(address.url, state, { journal })
  onTestFinished(() => opened.store.close())
  return opened
}

const isOlder = (warnings: readonly string[]): boolean =>
  warnings.some((text) => text.includes('came back older than it was: changes that were answered are lost'))

/** Clients that order one after the other until they are told to stop. */
class Load {
  readonly ids: number[] = []
  readonly failed: string[] = []
  readonly #over = new AbortController()
  readonly #clients: Promise<void>[]

  constructor(stores: readonly SharedStore[], clients = 12) {
    this.#clients = Array.from({ length: clients }, (_, i) =>
      this.#order(stores[i % stores.length] as SharedStore),
    )
  }

  async #order(store: SharedStore): Promise<void> {
    while (!this.#over.signal.aborted)
      try {
        this.ids.push(((await store.transact('ana', ordering('ana'))) as Ordered).serviceId)
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
        this.failed.push(error.message)
        await turn()
      }
  }

  /** Waits until so many more were answered. */
  async more(count: number): Promise<void> {
    const wanted = this.ids.length + count
    await vi.waitUntil(() => this.ids.length >= wanted, { interval: 5, timeout: 10_000 })
  }

  async stop(): Promise<void> {
    this.#over.abort()
    await Promise.all(this.#clients)
  }
}

describe.skipIf(!hasRedis)('an address that moves to the replica of its Redis', () => {
  test('which took over under load: nothing that was answered is lost, nothing doubled', async () => {
    const both = await RedisPair.start()
    const { primary, standby, address } = both
    const opened = [await replica(both, 100_000), await replica(both, 100_000)]
    const stores = opened.map(({ store }) => store)
    const load = new Load(stores)
    await load.more(200)
    await primary.command('FAILOVER') // it stands still until the other one has all, and has taken over
    await both.says(standby, 'role:master')
    address.leadTo(standby.port)
    const moved = performance.now()
    await load.more(1)
    const pause = performance.now() - moved
    await load.more(200)
    await load.stop()

    expect(pause).toBeLessThan(2000)
    expect(new Set(load.ids).size).toBe(load.ids.length)
    const [store] = stores as [SharedStore]
    const world = await store.world('ana')
    expect(load.ids.filter((id) => !world?.services[id])).toEqual([])
    const unknown = load.failed.filter((message) => message.includes('is not known')).length
    const beyond = (world?.version ?? 0) - load.ids.length
    expect(beyond).toBeGreaterThanOrEqual(0)
    expect(beyond).toBeLessThanOrEqual(unknown)
    expect((await store.observations()).journal.total).toBe(world?.version)
    for (const message of load.failed)
      expect(message).toMatch(/Nothing was changed\.$|not known whether the change was made: check the state/)
    for (const { store: one, warnings } of opened) {
      expect(isOlder(warnings)).toBe(false)
      expect(await one.health()).toMatchObject({ warnings: [expect.stringContaining('appendonly')] })
    }
    if (process.env['PROXYSIM_FIGURES'])
      process.stderr.write(
        `failover: ${load.ids.length} orders, ${load.failed.length} refused, ${unknown} unknown, ${beyond} beyond, ${Math.round(pause)} ms\n`,
      )
  })

  test('with all that was answered, when the primary is killed: the next request is answered', async () => {
    const both = await RedisPair.start()
    const { primary, standby, address } = both
    const { store, warnings } = await replica(both)
    const ordered = await store.transact('ana', ordering('ana'))
    await both.caughtUp()
    await primary.kill()
    const waiting = store.transact('ana', ordering('ana')) // it waits for the store
    await both.promote()
    address.leadTo(standby.port)
    expect(await waiting).toMatchObject({ serviceId: (ordered as Ordered).serviceId + 1 })
    expect(await store.world('ana')).toMatchObject({ version: 2 })
    expect((await store.observations()).journal.total).toBe(2)
    expect(isOlder(warnings)).toBe(false)
  })

  test('which has a change whose answer was lost: it is looked up there, not made again', async () => {
    const both = await RedisPair.start()
    const { primary, standby, address } = both
    const { store } = await replica(both)
    await store.world('ana')
    const versions = `test:${String(await primary.command('GET', 'test:epoch'))}:i`
    address.mute()
    const asked = store.transact('ana', ordering('ana'))
    const hasIt = async (): Promise<boolean> =>
      String(await standby.command('HGET', versions, 'ana')).endsWith('-1')
    await vi.waitUntil(hasIt, { interval: 5, timeout: 10_000 })
    await both.promote()
    address.leadTo(standby.port)
    expect(await asked).toMatchObject({ serviceId: 5104 })
    expect(await store.world('ana')).toMatchObject({ version: 1 })
    expect((await store.observations()).journal.total).toBe(1)
  })

  test('which lacks the last changes: that is said, each time, and nothing of them is shown', async () => {
    const both = await RedisPair.start()
    const { standby, address } = both
    const [one, two] = [await replica(both), await replica(both)] as const
    await one.store.transact('ana', paying(500))
    await two.store.transact('ana', looking('ana'))
    await both.caughtUp()
    await both.promote()
    for (let i = 0; i < 3; i++) await one.store.transact('ana', ordering('ana'))
    expect((await two.store.observations()).journal.total).toBe(4)

    address.leadTo(standby.port)
    expect(await two.store.world('ana')).toMatchObject({ version: 1, credit: 500 })
    // What takes the place of the lost ones has their numbers: nobody takes one for the other.
    for (let i = 0; i < 3; i++) await two.store.transact('ana', paying(i))
    expect(await one.store.world('ana')).toMatchObject({ version: 4, credit: 2 })
    expect(isOlder(one.warnings)).toBe(true)
    const { problem, warnings } = await one.store.health()
    expect(problem).toBeUndefined()
    expect(isOlder(warnings)).toBe(true)
    for (const { store } of [one, two]) expect((await store.observations()).journal.total).toBe(1)

    for (let i = 3; i < 5; i++) await two.store.transact('ana', paying(i))
    await two.store.transact('ana', looking('ana'))
    for (const { store } of [one, two]) {
      expect(await store.world('ana')).toMatchObject({ version: 6, credit: 4 })
      const { records } = (await store.observations()).journal
      expect(records.map(({ raw }) => raw?.version)).toEqual([1, 6])
    }
    expect(one.warnings.filter((text) => isOlder([text]))).toHaveLength(1)
  })

  test('which lacks the last changes twice: both are told of', async () => {
    const both = await RedisPair.start()
    const { primary, standby, address } = both
    const { store, warnings } = await replica(both)
    const older = (): string[] => warnings.filter((text) => isOlder([text]))
    await both.caughtUp()
    await both.promote()
    await store.transact('ana', paying(1))
    address.leadTo(standby.port)
    expect(await store.world('ana')).toMatchObject({ version: 0 })
    expect(older()).toHaveLength(1)
    await primary.command('REPLICAOF', '127.0.0.1', standby.port)
    await both.follows(primary)
    await primary.command('REPLICAOF', 'NO', 'ONE')
    await store.transact('ana', paying(2))
    address.leadTo(primary.port)
    expect(await store.world('ana')).toMatchObject({ version: 0 })
    expect(older()).toHaveLength(2)
  })

  test('which lacks a reset: what was before it is there again, and that is said', async () => {
    const both = await RedisPair.start()
    const { standby, address } = both
    const { store, warnings } = await replica(both)
    await store.transact('ana', paying(500))
    await both.caughtUp()
    await both.promote()
    await store.replace(stateOf('carl'))
    await store.transact('carl', looking('carl'))
    address.leadTo(standby.port)
    expect(await store.logins()).toEqual(['ana'])
    expect(await store.transact('ana', looking('ana'))).toBe(1)
    expect(await store.world('carl')).toBeUndefined()
    expect(isOlder(warnings)).toBe(true)
  })

  test('which goes on as a replica: nothing is answered, in one line, until it takes over', async () => {
    const both = await RedisPair.start()
    const { standby, address } = both
    const { store, warnings } = await replica(both)
    await store.transact('ana', paying(500))
    await both.caughtUp()
    address.leadTo(standby.port)
    const said = `The store ${address.url}/0 is a read-only replica. Use the address of the primary.`
    const text = (error: Error): string => error.message
    await expect
      .poll(async () => (await store.health()).problem, { interval: 5 })
      .toBe(`${said} Nothing was changed.`)
    const asked = [
      store.transact('ana', ordering('ana')),
      store.world('ana'),
      store.observations(),
      store.logins(),
      store.create('zoe', newWorld()),
      store.replace(stateOf('carl')),
    ].map((one) => one.then(() => 'answered', text))
    expect(new Set(await Promise.all(asked))).toEqual(new Set([`${said} Nothing was changed.`]))
    await both.promote()
    const promoted = performance.now()
    await expect.poll(async () => (await store.health()).problem, { interval: 5 }).toBeUndefined()
    expect(performance.now() - promoted).toBeLessThan(2000)
    expect(await store.transact('ana', looking('ana'))).toBe(1)
    expect(await store.logins()).toEqual(['ana'])
    expect(isOlder(warnings)).toBe(false)
  })

  test('while its own connection goes on to a primary that became a replica: health says so', async () => {
    const both = await RedisPair.start()
    const { primary, standby, address } = both
    const { store } = await replica(both)
    await both.caughtUp()
    await primary.command('FAILOVER')
    await both.says(primary, 'role:slave')
    await expect
      .poll(async () => (await store.health()).problem, { interval: 5 })
      .toContain('is a read-only replica')
    address.leadTo(standby.port)
    await expect.poll(async () => (await store.health()).problem, { interval: 5 }).toBeUndefined()
  })
})

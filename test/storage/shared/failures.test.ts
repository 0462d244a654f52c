import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../../src/server.ts'
import type { SharedStore } from '../../../src/storage/shared/SharedStore.ts'
import { StorageError } from '../../../src/store/StorageError.ts'
import type { Ordered } from '../../../src/world/ordering.ts'
import { proxysim } from '../../cli/proxysim.ts'
import { SlowNetwork } from '../../support/SlowNetwork.ts'
import { hasRedis, RedisServer } from '../../support/redis.ts'
import { looking, newWorld, openReplica, ordering, paying, recordOf, stateOf } from '../stores.ts'

/* Redis stalls, breaks, is restarted, is full: nothing is done twice, nothing that was lost is passed off as there. */

async function server(...flags: string[]): Promise<RedisServer> {
  const redis = await RedisServer.start(...flags)
  onTestFinished(() => redis.stop())
  return redis
}

async function replica(
  redis: RedisServer,
  credit = 1_000_000_000, // more than clients can spend
): Promise<{ store: SharedStore; warnings: string[] }> {
  const opened = await openReplica(redis.url, { ...stateOf('ben'), accounts: { ana: newWorld({ credit }) } })
  onTestFinished(() => opened.store.close())
  return opened
}

/** A replica that reaches Redis over a network that can fail. */
async function distantReplica(
  redis: RedisServer,
  delay = 0,
): Promise<{ network: SlowNetwork; store: SharedStore }> {
  const network = await SlowNetwork.start(redis.port, delay)
  onTestFinished(() => network.stop())
  const { store } = await openReplica(network.url)
  onTestFinished(() => store.close())
  return { network, store }
}

interface Load {
  ordered: Ordered[]
  failed: string[]
  /** Milliseconds of the longest wait for an answer */
  longest: number
}

/** Clients that order one after the other, until they are told to stop. */
function load(stores: readonly SharedStore[], clients = 24): () => Promise<Load> {
  const result: Load = { ordered: [], failed: [], longest: 0 }
  const over = new AbortController()
  const client = async (store: SharedStore): Promise<void> => {
    while (!over.signal.aborted) {
      const began = performance.now()
      try {
        result.ordered.push((await store.transact('ana', ordering('ana'))) as Ordered)
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
        result.failed.push(error.message)
        await sleep(5)
      }
      result.longest = Math.max(result.longest, performance.now() - began)
    }
  }
  const running = Array.from({ length: clients }, (_, i) => client(stores[i % stores.length] as SharedStore))
  return async () => {
    over.abort()
    await Promise.all(running)
    return result
  }
}

/** What was answered is there, once; beyond it at most what nobody knows the outcome of. */
async function expectExact(store: SharedStore, { ordered, failed }: Load): Promise<void> {
  const ids = ordered.map(({ serviceId }) => serviceId)
  expect(new Set(ids).size, 'ids that were given twice').toBe(ids.length)
  const world = await store.world('ana')
  expect(ids.filter((id) => !world?.services[id])).toEqual([])
  const unknown = failed.filter((message) => message.includes('is not known')).length
  const beyond = (world?.version ?? 0) - ids.length
  expect(beyond).toBeGreaterThanOrEqual(0)
  expect(beyond).toBeLessThanOrEqual(unknown)
}

describe.skipIf(!hasRedis)('if Redis fails', () => {
  test('broken connections neither lose nor double an order', async () => {
    const redis = await server()
    const stores = [await replica(redis), await replica(redis)].map(({ store }) => store)
    const stop = load(stores)
    for (let i = 0; i < 12; i++) {
      await sleep(50)
      await redis.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    }
    const done = await stop()
    expect(done.failed).toEqual([])
    expect(done.ordered.length).toBeGreaterThan(500)
    await expectExact(stores[0] as SharedStore, done)
    expect((await (stores[1] as SharedStore).observations()).journal.total).toBe(done.ordered.length)
  })

  test('the outcome of a reply that is late is looked up', async () => {
    const redis = await server()
    const stores = [await replica(redis), await replica(redis)].map(({ store }) => store)
    const stop = load(stores)
    await sleep(200)
    redis.signal('SIGSTOP')
    await sleep(1600)
    redis.signal('SIGCONT')
    await sleep(300)
    const done = await stop()
    expect(done.longest).toBeLessThan(2000)
    await expectExact(stores[0] as SharedStore, done)
  })

  test('a script that reaches Redis after its caller gave up does nothing', async () => {
    const redis = await server()
    const { network, store } = await distantReplica(redis)
    await Promise.all([store.world('ana'), store.world('ben')])
    const deliver = network.hold()
    const answers = await Promise.all([
      store.transact('ana', ordering('ana')),
      store.transact('ben', looking('ben')),
    ])
    await deliver()
    expect(answers).toMatchObject([{ serviceId: 5104 }, 0])
    expect(await store.world('ana')).toMatchObject({ version: 1 })
    expect((await store.observations()).journal.total).toBe(2)
  })

  test('a snapshot that another replica is deleting is not restored in part', async () => {
    const redis = await server()
    const { store } = await openReplica(redis.url, stateOf('ana', 'ben'))
    onTestFinished(() => store.close())
    const { id } = await store.snapshot()
    await store.transact('ana', ordering('ana'))
    const [kept] = (await redis.command('LRANGE', 'test:snapshots', '0', '-1')) as string[]
    const { epoch } = JSON.parse(kept as string) as { epoch: string }
    // as after the first of its steps
    await redis.command('UNLINK', `test:${epoch}:m`, `test:${epoch}:w:ana`)
    await redis.command('HDEL', `test:${epoch}:i`, 'ana')
    await expect(store.restore(id)).rejects.toThrow(
      'The snapshot was deleted meanwhile. Nothing was changed.',
    )
    expect(await store.logins()).toEqual(['ana', 'ben'])
    expect(await store.world('ana')).toMatchObject({ version: 1 })
  })

  test('a distant replica is not starved by busy ones near Redis', async () => {
    const redis = await server()
    const { store: near } = await replica(redis)
    const { store: far } = await distantReplica(redis, 15)
    const stop = load([near], 4)
    for (let i = 0; i < 3; i++) expect(await far.transact('ana', ordering('ana'))).toHaveProperty('serviceId')
    expect((await stop()).failed).toEqual([])
    expect(far.stats().conflicts).toBeGreaterThan(3)
  })

  test('an account that others keep changing can be looked at, and one that nobody changes be changed, from afar', async () => {
    const redis = await server()
    const { store: near } = await replica(redis)
    await near.create('ben', newWorld())
    const { network, store: far } = await distantReplica(redis)
    network.delay = 900
    const stop = load([near], 4)
    const [ana, ordered] = await Promise.all([far.world('ana'), far.transact('ben', ordering('ben'))])
    expect((await stop()).failed).toEqual([])
    expect(ana?.version).toBeGreaterThan(0)
    expect(ordered).toHaveProperty('serviceId')
  })

  test('a store whose answers are there is not away, however long this process was unable to take them', async () => {
    const redis = await server()
    const { store } = await replica(redis)
    await store.world('ana')
    await redis.command('CLIENT', 'PAUSE', 300, 'WRITE')
    const ordered = store.transact('ana', ordering('ana'))
    const waiting = async (): Promise<string> => String(await redis.command('CLIENT', 'LIST'))
    await expect.poll(waiting, { interval: 1 }).toMatch(/flags=b .*cmd=evalsha/)
    const { trips } = store.stats()
    const began = performance.now()
    while (performance.now() - began < 2000); // as a large computation
    expect(await ordered).toHaveProperty('serviceId')
    expect(store.stats().trips).toBe(trips) // else it had to reconnect
  })

  test('an event that comes while the store is away is told later, and those after it', async () => {
    const redis = await server()
    const { store: near } = await replica(redis)
    const { network, store: far } = await distantReplica(redis)
    const told: unknown[] = []
    onTestFinished(far.on((event) => told.push(event.type === 'change' ? event.change : event.type)))
    await far.observations() // from here on, none may be missed
    await near.transact('ana', paying(1))
    await expect.poll(() => told).toHaveLength(1)
    network.hold()
    await near.transact('ana', paying(2))
    await expect.poll(() => network.held).toBeGreaterThan(0) // it looks at the account that changed
    network.mute()
    expect((await far.health()).problem).toBeDefined()
    await near.transact('ana', paying(3))
    network.leadTo(redis.port)
    await expect.poll(() => told, { timeout: 5000 }).toHaveLength(3)
    expect(told).toEqual([{ credit: 1 }, { credit: 2 }, { credit: 3 }])
  })

  test('who begins to listen while the store is away is told that something was missed', async () => {
    const redis = await server()
    const { store: near } = await replica(redis)
    const { network, store: far } = await distantReplica(redis)
    network.mute()
    const told: unknown[] = []
    onTestFinished(far.on((event) => told.push(event.type)))
    await far.whenListening()
    await near.transact('ana', paying(1))
    network.leadTo(redis.port)
    await expect.poll(() => told, { timeout: 5000 }).toEqual(['reset'])
    await near.transact('ana', paying(2))
    await expect.poll(() => told).toEqual(['reset', 'change'])
  })

  test('a frozen store is reported within 2 s, and requests work again soon after it is back', async () => {
    const redis = await server()
    const { store } = await replica(redis)
    const stop = load([store])
    await sleep(100)
    redis.signal('SIGSTOP')
    await sleep(3500)
    const began = performance.now()
    await expect(store.transact('ana', looking('ana'))).rejects.toThrow(StorageError)
    expect(performance.now() - began).toBeLessThan(100) // it is known to be away: nobody waits any more
    expect((await store.health()).problem).toContain('no answer')
    redis.signal('SIGCONT')
    const back = performance.now()
    await expect.poll(async () => (await store.health()).problem, { interval: 10 }).toBeUndefined()
    await store.transact('ana', looking('ana'))
    expect(performance.now() - back).toBeLessThan(1000) // 0.1 s where nobody else is at work
    const done = await stop()
    expect(done.longest).toBeLessThan(2100)
    expect(done.failed.some((message) => message.includes('is not known'))).toBe(true)
    await expectExact(store, done)
  })

  test.for(['always', 'everysec'])(
    'after a kill with appendfsync %s, it has every acknowledged change, or reports older data',
    async (fsync) => {
      const redis = await server('--appendonly', 'yes', '--appendfsync', fsync)
      const { store, warnings } = await replica(redis)
      expect(warnings).toEqual([])
      let stop = load([store])
      for (let i = 0; i < 3; i++) {
        await sleep(300)
        await redis.kill()
        await redis.start()
        const back = performance.now()
        await store.transact('ana', looking('ana'))
        expect(performance.now() - back).toBeLessThan(1000) // 0.1 s where nobody else is at work
      }
      const done = await stop()
      // With `everysec`, Redis holds writes back for up to 2 s while its disk is slow: what is lost then must be said.
      const isOlder = warnings.some((warning) => warning.includes('came back older'))
      if (fsync === 'always' || !isOlder) await expectExact(store, done)
      stop = load([store])
      await sleep(50)
      expect((await stop()).failed).toEqual([])
    },
  )

  test('a connection that breaks after what changed nothing is no loss', async () => {
    const redis = await server()
    const { store, warnings } = await openReplica(redis.url, stateOf('ana', 'ben'), {
      maxAccounts: 3,
      accountTtl: 200,
    })
    onTestFinished(() => store.close())
    const tries = [
      async () => expect(await store.remove('nobody')).toBe(false),
      async () => expect(await store.create('ana', newWorld())).toBe(false),
      async () => {
        const origin = { scenario: null, token: 'x' } // so it expires
        expect(await store.create('cem', newWorld({ origin }))).toBe(true)
        await expect(store.create('dan', newWorld())).rejects.toThrow('3')
      },
      () => expect.poll(() => store.logins()).not.toContain('cem'),
    ]
    for (const attempt of tries) {
      await attempt()
      await redis.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      await expect.poll(() => store.logins()).toContain('ana')
      expect(warnings.join()).not.toContain('came back older')
    }
  })

  test('a store that comes back with older data invalidates the caches, with a warning', async () => {
    const redis = await server()
    const { store, warnings } = await replica(redis)
    await store.transact('ana', paying(500))
    await redis.command('SAVE')
    await store.transact('ana', paying(7))
    await redis.kill()
    await redis.start()
    const { store: other } = await replica(redis)
    await other.transact('ana', paying(9)) // another version 2 than the one that is lost
    expect(await store.world('ana')).toMatchObject({ version: 2, credit: 9 })
    expect(warnings.at(-1)).toContain('came back older than it was')
    const { problem, warnings: shown } = await store.health()
    expect(problem).toBeUndefined()
    expect(shown.join()).toContain('came back older')
    await store.transact('ana', paying(8))
    expect(await store.world('ana')).toMatchObject({ version: 3, credit: 8 })
  })

  test('an emptied store is reported until something is loaded', async () => {
    const redis = await server()
    const { store } = await replica(redis)
    const { store: other } = await replica(redis)
    await store.transact('ana', paying(7))
    await redis.command('FLUSHALL')
    const lost = /has lost its state.* Load a scenario, or reset, to start over/
    await expect(store.transact('ana', looking('ana'))).rejects.toThrow(lost)
    await expect(other.world('ana')).rejects.toThrow(lost)
    await expect(store.create('zoe', newWorld())).rejects.toThrow(lost)
    await expect(store.observations()).rejects.toThrow(lost)
    await expect(store.logins()).rejects.toThrow(lost)
    await expect(store.snapshots()).rejects.toThrow(lost)
    await expect(store.restore('s1')).rejects.toThrow(lost)
    expect((await store.health()).problem).toMatch(lost)
    expect(await store.scenario()).toMatchObject({ name: 'default' }) // so that a reset works
    await store.replace(stateOf('carl'))
    expect(await other.transact('carl', looking('carl'))).toBe(0)
    expect(await other.world('ana')).toBeUndefined()
    expect((await other.health()).problem).toBeUndefined()
  })

  test('a full store still serves reads', async () => {
    const redis = await server()
    const { store } = await replica(redis)
    await store.transact('ana', looking('ana'))
    await redis.command('CONFIG', 'SET', 'maxmemory', '1')
    await expect(store.transact('ana', ordering('ana'))).rejects.toThrow(/is full \(`maxmemory`\)/)
    expect(await store.transact('ana', looking('ana'))).toBe(0)
    await redis.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    expect(await store.transact('ana', looking('ana'))).toBe(0)
    await expect(store.create('zoe', newWorld())).rejects.toThrow(/is full/)
    await expect(store.replace(stateOf('carl'))).rejects.toThrow(/is full/)
    expect(store.stats().unrecorded).toBeGreaterThan(0)
    await redis.command('CONFIG', 'SET', 'maxmemory', '0')
    expect(await store.transact('ana', ordering('ana'))).toMatchObject({ serviceId: 5104 })
    expect(await store.logins()).toEqual(['ana'])
  })

  test('what a full store does not record has no id, so nothing of it is taken for another request', async () => {
    const redis = await server()
    const { store } = await replica(redis)
    const logged: number[] = []
    store.onOwnRequest(({ raw }) => logged.push(raw.id))
    await store.transact('ana', looking('ana'))
    await redis.command('CONFIG', 'SET', 'maxmemory', '1')
    const unrecorded = Array.from({ length: 2 }, () => recordOf('ana', undefined))
    await Promise.all(unrecorded.map((record) => store.transact('ana', () => ({ value: 0, record }))))
    await expect(store.transact('ana', ordering('ana'))).rejects.toThrow(/is full/)
    expect(store.stats().unrecorded).toBe(2) // the order has no answer yet
    await redis.command('CONFIG', 'SET', 'maxmemory', '0')
    for (const record of unrecorded) store.markLost(record)
    await store.transact('ana', looking('ana'))
    expect(logged).toEqual([1, 0, 0, 2])
    const { records } = (await store.observations()).journal
    expect(records.map(({ raw: { id, lost } }) => ({ id, lost }))).toEqual([
      { id: 1, lost: false },
      { id: 2, lost: false },
    ])
  })

  test('no record refers to a text that a full store did not take', async () => {
    const redis = await server()
    const { network, store } = await distantReplica(redis)
    const responseBody = 'x'.repeat(100)
    const ask = (login: string): Promise<number> =>
      store.transact(login, (world) => ({ value: 0, record: recordOf(login, world, { responseBody }) }))
    await store.world('ben')
    await ask('ana')
    await redis.command('CONFIG', 'SET', 'maxmemory', '1')
    const deliver = network.hold()
    const both = [ask('ana')] // it shares the text, as it is the second one with it
    await expect.poll(() => network.held, { interval: 1 }).toBe(1)
    both.push(ask('ben'))
    await expect.poll(() => network.held, { interval: 1 }).toBe(2)
    await deliver(() => redis.command('CONFIG', 'SET', 'maxmemory', '0'))
    await Promise.all(both)
    expect(store.stats().unrecorded).toBe(1)
    const { records } = (await store.observations()).journal
    expect(records.map(({ raw }) => raw.responseBody)).toEqual([responseBody, responseBody])
    expect(records.map(({ raw }) => raw.requestHeaders)).toEqual([
      records[0]?.raw.requestHeaders,
      records[0]?.raw.requestHeaders,
    ])
  })

  test('a store that became a read-only replica is not written to', async () => {
    const redis = await server()
    const { store } = await replica(redis)
    await redis.command('REPLICAOF', '127.0.0.1', '1')
    await expect(store.transact('ana', looking('ana'))).rejects.toThrow(/is a read-only replica/)
    await redis.command('REPLICAOF', 'NO', 'ONE')
    await expect.poll(async () => (await store.health()).problem, { interval: 20 }).toBeUndefined()
    expect(await store.transact('ana', ordering('ana'))).toMatchObject({ serviceId: 5104 })
  })

  test('a failed start says why in one line', async () => {
    const locked = await server('--requirepass', 'hush')
    const refusal = async (url: string): Promise<string> => {
      const error: unknown = await openReplica(url).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(StorageError)
      const { message } = error as StorageError
      expect(message).not.toMatch(/\n|wr0ng/)
      return message
    }
    const address = `127.0.0.1:${locked.port}`
    expect(await refusal(locked.url)).toMatch(/requires a password\. Put it .*PORT\.$/)
    expect(await refusal(`redis://:wr0ng@${address}`)).toContain('rejected the user or password')
    expect(await refusal(`redis://:hush@${address}/99`)).toContain('no database with that number')
    const { store } = await openReplica(`redis://:hush@${address}/3`)
    expect((await store.health()).problem).toBeUndefined()
    await store.close()
    await locked.kill()
    expect(await refusal(locked.url)).toContain('cannot be reached (ECONNREFUSED)')
    const web = createServer((_, reply) => reply.end()).listen(0, '127.0.0.1')
    onTestFinished(() => void web.close())
    await once(web, 'listening')
    expect(await refusal(`redis://127.0.0.1:${(web.address() as AddressInfo).port}`)).toContain(
      'is not a Redis: what listens there speaks another protocol.',
    )
    const cluster = await server('--cluster-enabled', 'yes')
    expect(await refusal(cluster.url)).toContain('is a Redis Cluster')
  })

  test('a user with the permissions that the guide names can do everything; one without is told of them', async () => {
    const guide = readFileSync(new URL('../../../docs/replicas.md', import.meta.url), 'utf8')
    const [, rules = ''] = /ACL SETUSER proxysim on '>PASSWORD' '~proxysim:\*' (.*)/.exec(guide) ?? []
    expect(rules).not.toBe('')
    const redis = await server()
    await redis.command('ACL', 'SETUSER', 'sim', 'on', '>hush', '~test:*', ...rules.split(' '))
    const { store } = await openReplica(`redis://sim:hush@127.0.0.1:${redis.port}`, undefined, {
      accountTtl: 1000,
    })
    onTestFinished(() => store.close())
    onTestFinished(store.on(() => {}))
    await store.observations()
    await store.transact('ana', ordering('ana'))
    await store.create('zoe', newWorld())
    await store.replaceAccount('zoe', newWorld())
    await store.restore((await store.snapshot()).id)
    await store.replace(stateOf('ana'))
    await store.clearJournal()
    expect((await store.health()).problem).toBeUndefined()
    expect(await redis.command('ACL', 'LOG')).toEqual([])
    await redis.command('ACL', 'SETUSER', 'sim', '-evalsha')
    await expect(openReplica(`redis://sim:hush@127.0.0.1:${redis.port}`)).rejects.toThrow(
      `permissions it needs: \`~PREFIX:* ${rules}\``,
    )
  })

  test('warns at the start about a store without `appendonly`', async () => {
    const { warnings } = await replica(await server())
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('has `appendonly no`')
  })
})

test.skipIf(!hasRedis)('an account whose key is gone is named, until a reset', async () => {
  const redis = await server()
  const running = await startServer({ store: redis.url })
  onTestFinished(() => running.close())
  const ask = async (
    method: string,
    path: string,
    login?: string,
  ): Promise<{ status: number; text: string }> => {
    const headers = login === undefined ? {} : { authorization: `Basic ${btoa(login)}` }
    const reply = await fetch(running.url + path, { method, headers })
    return { status: reply.status, text: await reply.text() }
  }
  const [key] = (await redis.command('KEYS', '*:w:reseller')) as [string]
  await redis.command('DEL', key)
  // A replica that still knows the account may answer of it, so another one is asked.
  const other = await proxysim(['serve', '--store', redis.url, '--port', '0'])
  const lost =
    /has lost the account \\?"reseller\\?"\. Its keys were evicted, or deleted by another program\. Reset,/
  expect(other).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(lost) as string })
  expect(await ask('GET', '/__admin/accounts')).toMatchObject({
    status: 503,
    text: expect.stringMatching(lost) as string,
  })
  const health = await ask('GET', '/__admin/health')
  expect(health).toMatchObject({ status: 200, text: expect.stringMatching(/has lost the account/) as string })
  expect(await ask('POST', '/__admin/reset')).toMatchObject({ status: 200 })
  expect((await ask('GET', '/__admin/health')).text).not.toContain('has lost')
  expect(await ask('GET', '/api/clients', 'reseller:secret')).toMatchObject({ status: 200 })

  await redis.command('DEL', 'proxysim:requests')
  expect(await ask('GET', '/api/clients', 'reseller:secret')).toMatchObject({
    status: 503,
    text: expect.stringContaining('has lost the number of its last request. Its keys were evicted') as string,
  })
  expect(await ask('POST', '/__admin/reset')).toMatchObject({ status: 200 })
  expect(await ask('GET', '/api/clients', 'reseller:secret')).toMatchObject({ status: 200 })
})

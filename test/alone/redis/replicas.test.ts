import { setTimeout as sleep } from 'node:timers/promises'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { SimulatorOptions } from '../../../src/SimulatorOptions.ts'
import { basic } from '../../support/ask.ts'
import { hasRedis, RedisServer } from '../../support/redis.ts'
import { SlowNetwork } from '../../support/SlowNetwork.ts'
import type { World } from '../../../src/world/World.ts'
import { run, type Client } from '../../storage/support/simulators.ts'

const [credit, price] = [250, 20]

describe.skipIf(!hasRedis)('replicas', () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await RedisServer.start()
  })
  afterAll(() => redis.stop())

  let count = 0
  const replicas = async (more: SimulatorOptions = {}): Promise<[Client, Client, Client]> => {
    const options = { storePrefix: `r${++count}`, ...more }
    // The scheme of a URL is read in any case.
    const stores = [redis.url, redis.url, redis.url.replace('redis:', 'REDIS:')]
    return (await Promise.all(stores.map((store) => run({ ...options, store })))) as [Client, Client, Client]
  }

  test('that start at the same time load one state, and each shows the changes made by the others', async () => {
    const [a, b, c] = await replicas()
    const steps: (() => Promise<unknown>)[] = [
      () => a.order(),
      () => b.createAccount('ana'),
      () => c.order('ana'),
      () => a.admin('PATCH', '/accounts/ana', { credit: 99 }),
      () => b.admin('PUT', '/clock?account=ana', { now: '2030-01-01T00:00:00Z', frozen: true }),
      () =>
        c.admin('POST', '/faults?account=ana', {
          operation: 'getCredit',
          respond: { status: 500 },
          times: 3,
        }),
      () => a.api('GET', '/services', undefined, 'ana'),
      () => b.admin('POST', '/snapshots'),
      () => c.admin('POST', '/reset?account=ana'),
      () => a.admin('POST', '/requests/1/rewind'),
      () => b.admin('POST', '/scenarios/low-funds/load'),
      () => c.admin('POST', '/snapshots/s1/restore'),
      () => a.admin('DELETE', '/accounts/ana'),
    ]
    for (const [i, step] of steps.entries()) {
      await step()
      const views = await Promise.all(
        [a, b, c].map(async (one) => {
          const { accounts, scenario } = await one.store.state()
          return [
            JSON.stringify([...accounts]),
            scenario.name,
            await one.journal(),
            await one.coverage(),
            (await one.admin('GET', '/findings')).json,
            (await one.admin('GET', '/snapshots')).json,
          ]
        }),
      )
      expect(views[1], `after step ${i}`).toEqual(views[0])
      expect(views[2], `after step ${i}`).toEqual(views[0])
    }
  })

  test('behave like one process: timeline, limits, assumptions, findings, stale faults, history', async () => {
    const [one, two] = await replicas()
    const memory = await run({})
    const runSteps = async (a: Client, b: Client): Promise<unknown[]> => {
      const trace: unknown[] = []
      const record = async (
        sent: Promise<{ status: number; json: unknown }>,
        part?: string,
      ): Promise<void> => {
        const { status, json } = await sent
        trace.push([
          status,
          part ? (json as Record<string, unknown>[]).map((each) => [each['id'], each[part]]) : json,
        ])
      }
      const patch = (body: object) => record(a.admin('PATCH', '/accounts/reseller', body))
      await a.admin('PUT', '/clock', { now: '2040-02-01T00:00:00Z', frozen: true })
      await a.order()
      await b.order()
      await patch({ credit: 500 })
      await b.order()
      for (const stale of [1, 2, 3, 4]) {
        await a.admin('POST', '/faults', { operation: 'getCredit', stale, times: 1 })
        await record(b.api('GET', '/billing/credit'))
      }
      const assumptions = { orderedInvoice: 'Unpaid', orderedService: 'Pending' }
      await patch({ assumptions, limits: { activation: 10, payment: 20, renewal: true }, confirmed: ['geo'] })
      await record(b.order())
      await record(a.admin('GET', '/timeline'))
      await b.admin('POST', '/clock/advance', { by: 'P40D' })
      await record(a.admin('GET', '/accounts/reseller'))
      await patch({ credit: 1000, services: { 5001: { status: 'Active' } } }) // in spite of the renewals
      await a.admin('POST', '/faults', { operation: 'orderService', phase: 'after', drop: 'reset', times: 1 })
      await b.order().catch(() => {})
      await expect.poll(async () => (await a.admin('GET', '/findings')).text).toContain('order-lost')
      await patch({ assumptions: { timeZone: 'Asia/Tokyo' } })
      await a.admin('POST', '/faults', { operation: 'getService', delay: 1, times: 1 })
      for (let i = 0; i < 3; i++) {
        await a.api('PUT', '/service/5001', { update_list: 'true' })
        await b.api('GET', '/service/9999')
      }
      const found = (await b.admin<{ finding: string }[]>('GET', '/findings')).json
      expect(found.map(({ finding }) => finding)).toEqual([
        'order-lost',
        'throttle-ignored',
        'refusal-repeated',
      ])
      await record(b.admin('GET', '/findings'), 'message')
      for (const part of ['used', 'confirmed', 'value']) await record(b.admin('GET', '/assumptions'), part)
      const { requests } = await b.journal()
      trace.push(requests.map(({ id, status, version, change }) => [id, status, version, change]))
      await record(b.admin('POST', `/requests/${requests[1]?.id}/rewind`))
      await record(a.admin('GET', '/accounts/reseller'))
      await patch({ limits: { requests: { count: 1, per: 60 } } })
      const waiting = a.admin<{ requests: unknown[] }>('POST', '/requests/wait', {
        operation: 'listServices',
        count: 2,
      })
      for (const each of [a, b]) await record(each.api('GET', '/services'))
      expect((await waiting).status).toBe(200)
      return trace
    }
    const [shared, alone] = [await runSteps(one, two), await runSteps(memory, memory)]
    for (const [i, each] of shared.entries())
      expect(JSON.parse(JSON.stringify(each, withoutLoad)), `step ${i}`).toEqual(
        JSON.parse(JSON.stringify(alone[i], withoutLoad)),
      )
  })

  test('execute concurrent loads one after another', async () => {
    const [a, b] = await replicas()
    for (let round = 0; round < 3; round++) {
      await a.admin('POST', '/scenarios/default/load')
      const load = (one: Client, name: string) => one.admin('POST', `/scenarios/${name}/load`)
      await Promise.all([load(a, 'low-funds'), load(b, 'empty')])
      const [replaced] = await a.store.snapshots()
      expect(['low-funds', 'empty']).toContain(replaced?.scenario)
    }
  })

  test('fetch only the missing changes of a world, and cache 64 million characters of worlds', async () => {
    const [a, b] = await replicas()
    const sent = async () => /total_net_output_bytes:(\d+)/.exec((await redis.command('INFO')) as string)?.[1]
    const megabytes = async (act: () => unknown): Promise<number> => {
      const before = Number(await sent())
      await act()
      return Math.round((Number(await sent()) - before) / 2 ** 20)
    }
    const fetched = (login: string) => megabytes(() => b.store.world(login))
    const world = (await a.store.world('reseller')) as World
    const large = (size: number): World => ({ ...world, seed: 'x'.repeat(size * 2 ** 20) as never })
    // The cache has space for 21 of these. Each is small enough to be sent in time on a busy machine.
    const logins = Array.from({ length: 22 }, (_, i) => `large${i}`)
    const [first = '', second = '', third = '', fourth = ''] = logins
    const last = logins.at(-1) ?? ''
    for (const login of logins) await a.store.create(login, large(3))
    expect([await fetched(first), await fetched(first)]).toEqual([3, 0])
    await a.admin('PATCH', `/accounts/${first}`, { credit: 1 })
    expect(await fetched(first), 'the change alone').toBe(0)
    expect(await megabytes(() => b.store.state()), 'the others').toBe(63)
    for (const login of logins.slice(1)) expect(await fetched(login), login).toBe(3)
    expect([await fetched(second), await fetched(first), await fetched(last)]).toEqual([0, 3, 0])
    expect([await fetched(third), await fetched(second), await fetched(last)]).toEqual([0, 3, 0])
    await a.store.replaceAccount(last, large(6))
    expect([await fetched(last), await fetched(last), await fetched(fourth)]).toEqual([6, 0, 3])
  })

  test('check a change against the current account, not against a cached one', async () => {
    const [a, b] = await replicas()
    for (let tries = 1; tries <= 20; tries++) {
      await a.createAccount('ana')
      await b.admin('GET', '/accounts/ana')
      await a.admin('DELETE', '/accounts/ana')
      expect((await b.admin('PATCH', '/accounts/ana', { credit: -tries })).status).toBe(404)
    }
  })

  test('don’t overspend credit or exceed the times of a fault', async () => {
    const [a, b, c] = await replicas()
    const all = await Promise.all(
      Array.from({ length: 15 }, () => [a, b, c].map((one) => one.order())).flat(),
    )
    const paid = all.flatMap((one) => (one.status === 200 ? [one.json.serviceId] : []))
    expect(new Set(paid).size).toBe(Math.floor(credit / price))
    expect(await c.credit()).toBe(credit - paid.length * price)
    await a.admin('POST', '/faults', { operation: 'getCredit', respond: { status: 500 }, times: 2 })
    const triggered = await Promise.all(
      Array.from({ length: 4 }, () => [a, b, c].map((one) => one.api('GET', '/billing/credit'))).flat(),
    )
    expect(triggered.filter((one) => one.status === 500)).toHaveLength(2)
    const { requests } = await b.journal()
    expect(requests.map(({ id }) => id)).toEqual(Array.from({ length: 58 }, (_, i) => 58 - i))
  })

  test('give one history to an account that all change and read concurrently', async () => {
    const stores = (await replicas()).map(({ store }) => store)
    const versions = new Set<number>()
    let runs = 0
    const worker = async (n: number): Promise<void> => {
      for (let i = 0; i < 10; i++) {
        const version = await stores[(n + i) % 3]?.transact('reseller', (world) => {
          runs++
          return { value: (world?.version ?? 0) + 1, change: { credit: (world?.credit ?? 0) + 1 } }
        })
        versions.add(version ?? 0)
        const seen = await stores[(n + i + 1) % 3]?.world('reseller')
        expect(seen?.version).toBeGreaterThanOrEqual(version ?? 0)
        expect(seen?.credit).toBe(credit + (seen?.version ?? 0))
      }
    }
    await Promise.all(Array.from({ length: 32 }, (_, n) => worker(n)))
    expect([...versions].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 320 }, (_, i) => i + 1))
    expect(runs, 'a transaction that conflicts is rarely repeated more than once').toBeLessThan(320 * 3)
  })

  test('send the events of all, wait for requests of all, and refuse a delayed request after a load', async () => {
    const [a, b] = await replicas()
    const heard: string[] = []
    a.store.on((event) => void heard.push(event.type))
    await a.store.whenListening()
    const waiting = a.admin('POST', '/requests/wait', { operation: 'orderService' })
    await b.order()
    expect((await waiting).status).toBe(200)
    await expect.poll(() => heard).toEqual(['change', 'request'])
    await b.admin('POST', '/faults', { operation: 'orderService', delay: 600 })
    const delayed = b.order()
    await expect.poll(async () => (await a.admin<{ used: number }[]>('GET', '/faults')).json[0]?.used).toBe(1)
    await a.admin('POST', '/reset')
    expect((await delayed).status).toBe(503)
    expect(await a.credit()).toBe(credit)
    expect((await b.journal()).requests.map(({ status }) => status)).toEqual([200, 503])
  })

  test('refuse a request if a load comes before its body', async () => {
    const [a, b] = await replicas()
    const { hostname, port } = new URL(a.url)
    const headers = {
      authorization: basic('reseller:secret'),
      'content-type': 'application/json',
      expect: '100-continue',
    }
    const upload = request({ hostname, port, method: 'POST', path: '/api/product/101', headers })
    const responding = once(upload, 'response')
    await once(upload, 'continue') // the server is waiting for the body now
    upload.write('{"clientid"')
    await b.admin('POST', '/reset')
    upload.end(': 11}')
    const [response] = (await responding) as [IncomingMessage]
    expect(response.resume().statusCode).toBe(503)
    expect(await b.credit()).toBe(credit)
    expect((await b.journal()).requests.map(({ status }) => status)).toEqual([200, 503])
  })

  test('keep enough history to rewind any request of the journal, and sometimes store a whole world', async () => {
    const [a, b] = await replicas({ journal: 200 })
    await a.admin('PATCH', '/accounts/reseller', { credit: 1_000_000 })
    const client = redis.client()
    const epoch = await client.hget(`r${count}:meta`, 'epoch')
    const key = `r${count}:world:${epoch}:reseller`
    const order = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++) await (i % 2 ? a : b).order()
    }
    await order(30)
    expect(await client.hget(key, 'base')).toBe('0')
    await order(270)
    expect(await client.hlen(key)).toBeLessThan(200)
    client.disconnect()
    const { requests } = await a.journal()
    const oldest = requests.at(-1)
    expect((await b.admin('POST', `/requests/${oldest?.id}/rewind`)).status).toBe(200)
    expect(await a.credit()).toBe(1_000_000 - 100 * price)
  })

  test('refuse a state of another format, and leave it as it was', async () => {
    const store = redis.url
    const storePrefix = `r${++count}`
    const older = await run({ store, storePrefix })
    const setFormat = async (format: number): Promise<void> => {
      const deployment = JSON.parse(
        (await redis.command('HGET', `${storePrefix}:meta`, 'deployment')) as string,
      ) as object
      await redis.command(
        'HSET',
        `${storePrefix}:meta`,
        'deployment',
        JSON.stringify({ ...deployment, format }),
      )
    }
    await setFormat(8)
    const keys = async () => [
      await redis.command('DBSIZE'),
      await redis.command('HGETALL', `${storePrefix}:meta`),
    ]
    const before = await keys()
    await expect(run({ store, storePrefix, scenario: 'low-funds' })).rejects.toThrow(
      /has format 8, and this version of proxysim uses format 9\. Nothing was changed\..* delete the keys that begin with/,
    )
    expect(await keys()).toEqual(before)
    expect((await older.order()).status).toBe(200)
  })

  test('store only what an order with renewals changes', async () => {
    const store = redis.url
    const storePrefix = `r${++count}`
    const sim = await run({ store, storePrefix })
    const services = Object.fromEntries(
      Array.from({ length: 900 }, (_, i) => [6000 + i, { client: 11, product: 101 }]),
    )
    await sim.admin('PATCH', '/accounts/reseller', { credit: 100_000, limits: { renewal: true }, services })
    const size = async () =>
      Number(await redis.command('MEMORY', 'USAGE', `${storePrefix}:log`, 'SAMPLES', 0))
    const before = await size()
    for (let i = 0; i < 10; i++) expect((await sim.order()).status).toBe(200)
    expect((await size()) - before).toBeLessThan(100_000)
    expect((await sim.admin('GET', '/requests')).text.length).toBeLessThan(50_000)
  })

  test('refuse to join with another journal size; a user with the permissions in the guide can do everything', async () => {
    const store = redis.url
    const storePrefix = `r${++count}`
    await run({ store, storePrefix })
    await expect(run({ store, storePrefix, journal: 5 })).rejects.toThrow(
      'use another journal size (1000, here 5). Start this one with the same settings',
    )
    await expect(run({ store: `${store}/99` })).rejects.toThrow('DB index is out of range')
    const rules = `on >hush ~${storePrefix}:* +@all -@dangerous +info`
    await redis.command('ACL', 'SETUSER', 'sim', ...rules.split(' '))
    const sim = await run({ store: store.replace('//', '//sim:hush@'), storePrefix })
    await sim.order()
    await sim.admin('POST', '/snapshots')
    await sim.admin('POST', '/snapshots/s1/restore')
    await sim.admin('POST', '/reset')
    await expect(run({ store: store.replace('//', '//sim:hush@'), storePrefix: 'x' })).rejects.toThrow(
      'NOPERM',
    )
  })
})

describe.skipIf(!hasRedis)('if Redis fails', () => {
  const begin = async (...flags: string[]): Promise<{ redis: RedisServer; sim: Client }> => {
    const redis = await RedisServer.startForTest(...flags)
    return { redis, sim: await run({ store: redis.url }) }
  }
  /** Starts a replica behind a network that can fail. */
  const beginBehind = async () => {
    const { redis } = await begin()
    const network = await SlowNetwork.start(redis.port)
    onTestFinished(() => network.stop())
    return { redis, network, sim: await run({ store: network.url }) }
  }
  const works = (sim: Client) => expect.poll(async () => (await sim.order()).status).toBe(200)

  test('the outcome of a change whose response is lost is looked up; if that fails, the response says so', async () => {
    const { redis, network, sim } = await beginBehind()
    expect((await sim.order()).status).toBe(200)
    await sim.journal() // waits for pending work
    network.mute()
    const ordering = sim.order()
    const client = redis.client()
    await expect.poll(() => client.hget('proxysim:meta', 'request')).toBe('2')
    network.forwardTo(redis.port)
    expect((await ordering).status).toBe(200)
    expect(await sim.credit()).toBe(credit - 2 * price)
    expect((await sim.journal()).total).toBe(3)
    network.mute()
    const forgotten = sim.order()
    await expect.poll(() => client.hget('proxysim:meta', 'request')).toBe('4')
    await client.xtrim('proxysim:log', 'MAXLEN', 0)
    client.disconnect()
    network.forwardTo(redis.port)
    expect((await forgotten).json.error).toContain('no longer has the log of this change. It is not known')
    network.mute()
    const unknown = await sim.order()
    expect(unknown).toMatchObject({ status: 503, headers: { 'sim-case': 'storage-failed' } })
    expect(unknown.json.error).toContain('It is not known whether the change was made')
    network.forwardTo(redis.port)
    await expect.poll(async () => (await sim.api('GET', '/billing/credit')).status).toBe(200)
  })

  test('a change that reaches Redis only after it was sent again is applied once', async () => {
    const { network, sim } = await beginBehind()
    await sim.order()
    const deliver = network.hold()
    expect((await sim.order()).status).toBe(200)
    await deliver()
    expect((await sim.order()).status).toBe(200)
    expect(await sim.credit()).toBe(credit - 3 * price)
  })

  test('a connection without responses is replaced', async () => {
    const { redis, network, sim } = await beginBehind()
    const speak = network.mute()
    await redis.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    expect((await sim.order()).status).toBe(503)
    speak()
    await expect.poll(async () => (await sim.order()).status).toBe(200)
  })

  test('bulk operations have longer timeouts than requests', async () => {
    const { redis, sim } = await begin()
    redis.signal('SIGSTOP')
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const bulk = Promise.all([sim.store.takeSnapshot(), sim.store.state()])
    await vi.advanceTimersByTimeAsync(5000)
    redis.signal('SIGCONT')
    await expect(bulk).resolves.toHaveLength(2)
  })

  test('a frozen store is reported within 2 s, and work goes on when it is back', async () => {
    const { redis, sim } = await begin()
    redis.signal('SIGSTOP')
    const error = expect.stringMatching(/cannot be reached \(no reply within \d+ ms\)/)
    for (const send of [() => sim.order(), () => sim.api('GET', '/billing/credit')]) {
      const began = performance.now()
      expect(await send()).toMatchObject({
        status: 503,
        headers: { 'sim-case': 'storage-failed' },
        json: { error },
      })
      expect(performance.now() - began).toBeLessThan(2000)
    }
    expect((await sim.admin('GET', '/health')).status).toBe(503)
    redis.signal('SIGCONT')
    await works(sim)
    expect((await sim.admin('GET', '/health')).status).toBe(200)
  })

  test('a store that pauses again and again is reported within 2 s', async () => {
    const { redis, sim } = await begin()
    await sim.order()
    const client = redis.client()
    const pauses = new AbortController()
    const pausing = (async () => {
      while (!pauses.signal.aborted) {
        await client.call('CLIENT', 'PAUSE', '1500', 'ALL')
        await sleep(1510)
      }
    })()
    const durations: number[] = []
    for (let i = 0; i < 2; i++) {
      await redis.command('PING') // answers as soon as a pause ends
      const began = performance.now()
      await sim.order()
      durations.push(performance.now() - began)
    }
    pauses.abort()
    await pausing
    client.disconnect()
    expect(Math.max(...durations)).toBeLessThan(2000)
  })

  test.each<
    [command: string, keys: (epoch: number) => string[], call: (sim: Client) => Promise<{ status: number }>]
  >([
    ['a change', () => ['coverage'], (sim) => sim.order()],
    [
      'a reset of one account',
      (next) => [`accounts:${next}`, `state:${next}`, `world:${next}:reseller`],
      (sim) => sim.admin('POST', '/reset?account=reseller'),
    ],
    [
      'a load',
      (next) => [`accounts:${next}`, `state:${next}`, `world:${next}:reseller`],
      (sim) => sim.admin('POST', '/scenarios/default/load'),
    ],
    [
      'a snapshot',
      (next) => ['snapshots', `accounts:${next}`, `world:${next}:reseller`],
      (sim) => sim.admin('POST', '/snapshots'),
    ],
  ])('%s is refused as a whole if another program wrote a key that it writes', async (_name, keys, call) => {
    const { redis, sim } = await begin()
    await sim.order()
    const client = redis.client()
    onTestFinished(() => client.disconnect())
    const states = async () => Number(await client.hget('proxysim:meta', 'state'))
    for (const [i] of keys(0).entries()) {
      const key = `proxysim:${keys((await states()) + 1)[i]}`
      await client.rename(key, 'aside').catch(() => {})
      await client.set(key, 'of another program')
      const before = await sim.store.state().then(({ accounts }) => JSON.stringify([...accounts]))
      const response = (await call(sim)) as { status: number; json: { error: string } }
      expect(response).toMatchObject({
        status: 503,
        json: {
          error: expect.stringContaining(
            `has a key "${key}" that another program wrote. Nothing was changed`,
          ) as string,
        },
      })
      expect(await sim.store.state().then(({ accounts }) => JSON.stringify([...accounts]))).toBe(before)
      await client.del(key)
      await client.rename('aside', key).catch(() => {})
      expect((await call(sim)).status).toBeLessThan(300)
    }
  })

  test('an emptied store is reported until something is loaded', async () => {
    const { redis, sim } = await begin()
    await redis.command('FLUSHALL')
    const { status, json } = await sim.order()
    expect([status, json.error]).toEqual([503, expect.stringContaining('has lost its state')])
    expect((await sim.admin('GET', '/health')).status).toBe(503)
    expect((await sim.admin('POST', '/scenarios/default/load')).status).toBe(200)
    expect((await sim.order()).status).toBe(200)
  })

  test('a full store refuses changes but serves reads, and a pending request succeeds later', async () => {
    const { redis, sim } = await begin()
    await sim.order()
    await sim.admin('POST', '/faults', { operation: 'orderService', delay: 4000, times: 1 })
    const delayed = sim.order()
    await expect
      .poll(async () => (await sim.admin<{ used: number }[]>('GET', '/faults')).json[0]?.used)
      .toBe(1)
    await redis.command('CONFIG', 'SET', 'maxmemory', '1')
    const findConnection = async () =>
      /id=\d+(?=.*evalsha)/.exec((await redis.command('CLIENT', 'LIST')) as string)?.[0]
    const connection = await findConnection()
    expect((await sim.order()).json.error).toMatch(/refused a command \(OOM .*\)\. Nothing was changed/)
    expect(await sim.credit()).toBe(credit - price)
    for (const path of ['/reset', '/requests/1/rewind'])
      expect((await sim.admin('POST', path)).status).toBe(503)
    expect(await findConnection(), 'the same connection').toBe(connection)
    await redis.command('CONFIG', 'SET', 'maxmemory', '0')
    expect((await delayed).status).toBe(200)
    expect((await sim.order()).status).toBe(200)
    expect(await sim.credit()).toBe(credit - 3 * price)
  })

  test('the outcome of a change that Redis stops halfway is unknown', async () => {
    const { redis } = await begin()
    const user = ['ACL', 'SETUSER', 'sim', 'on', '>hush', '~*', '&*', '+@all'] as const
    await redis.command(...user)
    const sim = await run({ store: redis.url.replace('//', '//sim:hush@') })
    await sim.order()
    await redis.command(...user, '-xadd')
    expect((await sim.order()).json.error).toMatch(/refused a command .* It is not known whether/)
    await redis.command(...user, '-evalsha', '-eval')
    expect((await sim.order()).json.error).toMatch(/NOPERM.* Nothing was changed/)
  })

  test('a lost account is reported, and the others are served', async () => {
    const { redis, sim } = await begin()
    await sim.createAccount('ana')
    const client = redis.client()
    await client.del(...(await client.keys('proxysim:world:*:ana')))
    client.disconnect()
    expect((await sim.order('ana')).json.error).toContain(
      'has lost the account \\"ana\\"'.replaceAll('\\', ''),
    )
    expect((await sim.order()).status).toBe(200)
  })

  test('a store that became a read-only replica serves no requests, not even reads', async () => {
    const { redis, sim } = await begin()
    await redis.command('REPLICAOF', '127.0.0.1', '1')
    for (const send of [() => sim.order(), () => sim.api<{ error: string }>('GET', '/billing/credit')])
      expect((await send()).json.error).toMatch(/READONLY|MASTERDOWN/)
    expect((await sim.admin('GET', '/health')).status).toBe(503)
    await redis.command('REPLICAOF', 'NO', 'ONE')
    await works(sim)
  })

  test('after a store restarts with older data, no newer data is shown, and a reset is reported', async () => {
    const { redis, sim } = await begin()
    const heard: string[] = []
    sim.store.on((event) => void heard.push(event.type))
    await sim.api('GET', '/services')
    await redis.command('XTRIM', 'proxysim:log', 'MAXLEN', 1) // drops the entry of the load
    await redis.command('SAVE')
    await sim.order()
    await expect.poll(() => heard).toContain('change')
    await redis.kill()
    expect((await sim.order()).json.error).toContain('cannot be reached (ECONNREFUSED). Nothing was changed')
    const began = performance.now()
    expect((await sim.order()).status).toBe(503)
    expect(performance.now() - began, 'the next request fails fast').toBeLessThan(500)
    heard.length = 0
    await redis.start()
    await expect.poll(async () => (await sim.api('GET', '/billing/credit')).status).toBe(200)
    const operations = (await sim.journal()).requests.map(({ operation }) => operation)
    expect(operations).toEqual(['getCredit', 'listServices'])
    expect(await sim.credit()).toBe(credit)
    await expect.poll(() => heard).toContain('reset')
  })

  test('events during an outage of the store are sent afterwards', async () => {
    const { redis, sim } = await begin('--appendonly', 'yes')
    const other = await run({ store: redis.url })
    const heard: string[] = []
    sim.store.on((event) => void heard.push(event.type))
    await sim.store.whenListening()
    await redis.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await expect.poll(async () => (await other.order()).status).toBe(200)
    await expect.poll(() => heard).toContain('request')
  })

  test('health warns if `appendonly` is off', async () => {
    const { sim } = await begin('--appendonly', 'no')
    expect((await sim.admin<{ warnings: string[] }>('GET', '/health')).json.warnings).toEqual([
      expect.stringContaining('has `appendonly no`'),
    ])
  })

  test('clock skew against Redis is reported', async () => {
    const { sim } = await begin('--appendonly', 'yes')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect((await sim.admin<{ warnings: string[] }>('GET', '/health')).json.warnings).toEqual([
      expect.stringMatching(/clock of this machine differs by (3599|3600)\b/),
    ])
  })
})

/** Replacer for JSON that removes values that differ between loads. */
function withoutLoad(key: string, value: unknown): unknown {
  return key === 'load' ? undefined : value
}

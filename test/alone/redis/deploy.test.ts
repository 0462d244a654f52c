import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { launch, proxysim, refusal, served, type Launched } from '../../cli/proxysim.ts'
import { freePort, hasRedis, RedisServer } from '../../support/redis.ts'
import { folder } from '../../support/start.ts'

async function redisOfTest(): Promise<RedisServer> {
  const redis = await RedisServer.start('--appendonly', 'yes')
  onTestFinished(() => redis.stop())
  return redis
}

function replica({ url }: RedisServer, ...flags: string[]): Launched {
  return launch(['--port', '0', '--store', url, ...flags])
}

/** Sends orders one after the other to whichever replica is healthy, until it is told to stop. */
class Client {
  readonly #healthy = new Set<string>()
  readonly #stopped = new AbortController()
  readonly #watches: Promise<void>[] = []
  answered = 0
  readonly failures: string[] = []

  watch(url: string): Promise<void> {
    let first: () => void = () => {}
    const known = new Promise<void>((resolve) => (first = resolve))
    this.#watches.push(this.#follow(url, first))
    return known
  }

  async #follow(url: string, first: () => void): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const isHealthy = await fetch(`${url}/__admin/health`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (isHealthy) this.#healthy.add(url)
      else this.#healthy.delete(url)
      first()
      await pause(50) // as a balancer does
    }
  }

  async run(): Promise<void> {
    let turn = 0
    while (!this.#stopped.signal.aborted) {
      const all = [...this.#healthy]
      const url = all[turn++ % all.length]
      if (url === undefined) {
        this.failures.push('no replica is healthy')
        return
      }
      try {
        const reply = await fetch(`${url}/api/billing/credit`, {
          headers: { authorization: `Basic ${btoa('reseller:secret')}`, accept: 'application/json' },
        })
        if (reply.status === 200) this.answered++
        else this.failures.push(`${reply.status}: ${await reply.text()}`)
        await reply.arrayBuffer().catch(() => {})
      } catch (error) {
        this.failures.push(`${(error as Error).message} ${String((error as Error).cause)}`)
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#watches)
  }
}

test.skipIf(!hasRedis)(
  'a rolling restart under load fails no request of a client that follows the health check',
  async () => {
    const redis = await redisOfTest()
    const running = [replica(redis), replica(redis)]
    const client = new Client()
    for (const url of await Promise.all(running.map(served))) await client.watch(url)
    const load = [client.run(), client.run(), client.run()]
    for (const old of running) {
      const next = replica(redis)
      await client.watch(await served(next))
      const before = client.answered
      old.child.kill('SIGTERM')
      expect(await old.ended).toMatchObject({ code: 0, stderr: '' })
      expect(client.answered).toBeGreaterThan(before + 50)
    }
    await client.stop()
    await Promise.all(load)
    expect(client.failures).toEqual([])
  },
)

test.skipIf(!hasRedis).each([
  ['answers', 'SIGCONT'],
  ['is frozen', 'SIGSTOP'],
] as const)('a replica ends without delay while Redis %s', async (_what, signal) => {
  const redis = await redisOfTest()
  const running = replica(redis, '--drain', '0')
  await served(running)
  redis.signal(signal)
  const began = performance.now()
  running.child.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  expect(performance.now() - began).toBeLessThan(1000)
})

test.skipIf(!hasRedis)('a new replica joins the existing state, and says so', async () => {
  const redis = await redisOfTest()
  const first = replica(redis, '--scenario', 'low-funds', '--store-prefix', 'team-a')
  await served(first)
  expect((await first.printed(/state +(.*)/))[1]).toBe(
    `shared: redis://127.0.0.1:${redis.port}/0 (prefix team-a)`,
  )
  const second = replica(redis, '--scenario', 'ip-conflict', '--store-prefix', 'team-a')
  const url = await served(second)
  expect((await second.printed(/state +(.*)/))[1]).toBe(
    `shared: redis://127.0.0.1:${redis.port}/0 (prefix team-a); joined low-funds, so ip-conflict was not loaded`,
  )
  expect(await (await fetch(`${url}/__admin/health`)).json()).toMatchObject({ scenario: 'low-funds' })
  const other = replica(redis, '--store-prefix', 'team-b')
  const apart = await served(other)
  expect(await (await fetch(`${apart}/__admin/health`)).json()).toMatchObject({ scenario: 'default' })
})

test('an unreachable store and conflicting storage options fail with one line and exit 2', async () => {
  const port = await freePort()
  expect(await proxysim(['--port', '0', '--store', `redis://127.0.0.1:${port}`])).toMatchObject(
    refusal(`redis://127.0.0.1:${port}`),
  )
  expect(await proxysim(['--store', 'redis://127.0.0.1:1', '--db', 'x.json'])).toMatchObject(refusal('--db'))
  expect(await proxysim(['--store', 'redis://127.0.0.1:1', '--in-memory'])).toMatchObject(
    refusal('--in-memory'),
  )
  for (const url of [
    'http://127.0.0.1:1',
    'redis://127.0.0.1:1/abc',
    'redis://127.0.0.1:1/0/1',
    'redis://127.0.0.1:1/0?db=3',
    'redis://127.0.0.1:1?family=6',
    'redis:///1',
    'unix://host/redis.sock',
    'unix:///redis.sock?db=x',
    'unix:///redis.sock?db=1.5',
    'unix:///redis.sock?family=6',
  ])
    expect(await proxysim(['--store', url]), url).toMatchObject(refusal('redis://HOST:PORT[/DB]'))
  expect(await proxysim(['--store', 'redis://127.0.0.1:1', '--store-prefix', ''])).toMatchObject(
    refusal('storePrefix must be a text that is not empty'),
  )
})

const hasBalancer = spawnSync('haproxy', ['-v']).error === undefined

test.skipIf(!hasRedis || !hasBalancer)(
  'the load balancer of compose.yaml distributes requests, and skips replicas that are stopping',
  async () => {
    const redis = await redisOfTest()
    const running = [replica(redis), replica(redis), replica(redis)]
    const urls = await Promise.all(running.map(served))
    const file = fileURLToPath(new URL('../../../compose.yaml', import.meta.url))
    const { configs } = parse(readFileSync(file, 'utf8')) as { configs: { balancer: { content: string } } }
    const port = await freePort()
    const servers = urls.map((url, index) => `  server replica${index} ${new URL(url).host}`).join('\n')
    const config = configs.balancer.content
      .replace(/^ {2}bind .*$/m, `  bind 127.0.0.1:${port}`)
      .replace(/^ {2}server-template .*$/m, servers)
      .replace(/^resolvers docker\n(?: {2}.*\n)*/m, '')
    expect(config).toContain('server replica2')
    const made = join(folder(), 'haproxy.cfg')
    writeFileSync(made, config)
    execFileSync('haproxy', ['-c', '-f', made])
    const balancer = launch([], { program: ['haproxy', '-f', made] })
    const front = `http://127.0.0.1:${port}`
    await expect
      .poll(() =>
        fetch(`${front}/__admin/health`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200)

    const ask = async (): Promise<number> =>
      (
        await fetch(`${front}/api/billing/credit`, {
          headers: { authorization: `Basic ${btoa('reseller:secret')}`, accept: 'application/json' },
        })
      ).status
    const statuses = new Set<number>()
    const [stopped] = running
    stopped?.child.kill('SIGTERM')
    while (stopped?.child.exitCode === null) statuses.add(await ask())
    for (let n = 0; n < 20; n++) statuses.add(await ask())
    expect([...statuses]).toEqual([200])
    balancer.child.kill('SIGKILL')
  },
)

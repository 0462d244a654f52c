import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { launch, proxysim, refused, served, type Launched } from '../../cli/proxysim.ts'
import { freePort, hasRedis, RedisServer } from '../../support/redis.ts'
import { folder } from '../../support/start.ts'

async function redisOfTest(): Promise<RedisServer> {
  const redis = await RedisServer.start('--appendonly', 'yes')
  onTestFinished(() => redis.stop())
  return redis
}

const isHealthy = (url: string): Promise<boolean> =>
  fetch(`${url}/__admin/health`).then(
    ({ ok }) => ok,
    () => false,
  )

function replica({ url }: RedisServer, ...flags: string[]): Launched {
  return launch(['--port', '0', '--store', url, ...flags])
}

test.skipIf(!hasRedis)(
  'a rolling restart under load fails no request of a client that follows the health check',
  async () => {
    const redis = await redisOfTest()
    const old = [replica(redis), replica(redis)]
    const urls = await Promise.all(old.map(served))
    const stopped = new AbortController()
    const statuses: number[] = []
    const client = async (): Promise<void> => {
      while (!stopped.signal.aborted)
        for (const url of urls) if (await isHealthy(url)) statuses.push(await ask(url))
    }
    const load = [client(), client(), client()]
    for (const one of old) {
      urls.push(await served(replica(redis)))
      const before = statuses.length
      one.child.kill('SIGTERM')
      expect(await one.ended).toMatchObject({ code: 0, stderr: '' })
      expect(statuses.length).toBeGreaterThan(before + 20)
    }
    stopped.abort()
    await Promise.all(load)
    expect(new Set(statuses)).toEqual(new Set([200]))
  },
)

async function ask(url: string): Promise<number> {
  const headers = { authorization: `Basic ${btoa('reseller:secret')}`, accept: 'application/json' }
  return (await fetch(`${url}/api/billing/credit`, { headers })).status
}

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

test.each([
  ['redis://127.0.0.1:1', 'redis://127.0.0.1:1'],
  ['redis://127.0.0.1:1', '--db', '--db', 'x.json'],
  ['redis://127.0.0.1:1', '--in-memory', '--in-memory'],
  ['redis://127.0.0.1:1', 'storePrefix must be a text that is not empty', '--store-prefix', ''],
  ...[
    'http://127.0.0.1:1',
    'redis://127.0.0.1:1/abc',
    'redis://127.0.0.1:1/0?db=3',
    'redis:///1',
    'unix://host/redis.sock',
    'unix:///redis.sock?db=1.5',
    'unix:///redis.sock?family=6',
  ].map((url) => [url, 'redis://HOST:PORT[/DB]']),
] as [string, string, ...string[]][])('--store %s is refused with %s', async (url, words, ...flags) => {
  expect(await proxysim(['--port', '0', '--store', url, ...flags])).toMatchObject(refused(words))
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
    await expect.poll(() => isHealthy(front)).toBe(true)
    const statuses = new Set<number>()
    const [stopped] = running
    stopped?.child.kill('SIGTERM')
    while (stopped?.child.exitCode === null) statuses.add(await ask(front))
    for (let n = 0; n < 20; n++) statuses.add(await ask(front))
    expect([...statuses]).toEqual([200])
    balancer.child.kill('SIGKILL')
  },
)

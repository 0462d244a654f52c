import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { launch, waitForUrl, type LaunchedProcess } from '../../cli/proxysim.ts'
import { ask, basic } from '../../support/ask.ts'
import { findFreePort, hasRedis, RedisServer } from '../../support/redis.ts'
import { createFolder } from '../../support/start.ts'

const startRedis = (): Promise<RedisServer> => RedisServer.startForTest('--appendonly', 'yes')

const getStatus = async (url: string, path: string): Promise<number> =>
  (await ask(url, 'GET', path, { headers: { authorization: basic('reseller:secret') } })).status
const isHealthy = (url: string): Promise<boolean> =>
  getStatus(url, '/__admin/health').then(
    (status) => status === 200,
    () => false,
  )
const readCredit = (url: string): Promise<number> => getStatus(url, '/api/billing/credit')

function launchReplica({ url }: RedisServer, ...flags: string[]): LaunchedProcess {
  return launch(['--port', '0', '--store', url, ...flags])
}

test.skipIf(!hasRedis)(
  'a rolling restart under load fails no request of a client that checks the health of replicas',
  async () => {
    const redis = await startRedis()
    const old = [launchReplica(redis), launchReplica(redis)]
    const urls = await Promise.all(old.map(waitForUrl))
    const stopped = new AbortController()
    const statuses: number[] = []
    const client = async (): Promise<void> => {
      while (!stopped.signal.aborted)
        for (const url of urls) if (await isHealthy(url)) statuses.push(await readCredit(url))
    }
    const load = [client(), client(), client()]
    urls.push(await waitForUrl(launchReplica(redis)))
    const before = statuses.length
    const [leaving] = old as [LaunchedProcess]
    leaving.child.kill('SIGTERM')
    expect(await leaving.ended).toMatchObject({ code: 0, stderr: '' })
    expect(statuses.length).toBeGreaterThan(before + 20)
    stopped.abort()
    await Promise.all(load)
    expect(new Set(statuses)).toEqual(new Set([200]))
  },
)

test.skipIf(!hasRedis).each([
  ['answers', 'SIGCONT'],
  ['is frozen', 'SIGSTOP'],
] as const)('a replica ends without delay while Redis %s', async (_what, signal) => {
  const redis = await startRedis()
  const running = launchReplica(redis, '--drain', '0')
  await waitForUrl(running)
  redis.signal(signal)
  const began = performance.now()
  running.child.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  expect(performance.now() - began).toBeLessThan(1000)
})

test.skipIf(!hasRedis)('a new replica joins the existing state, and prints that', async () => {
  const redis = await startRedis()
  const start = async (scenario: string, prefix: string) => {
    const running = launchReplica(redis, '--scenario', scenario, '--store-prefix', prefix)
    const { json } = await ask<{ scenario: string }>(await waitForUrl(running), 'GET', '/__admin/health')
    return [json.scenario, (await running.printed(/state +(.*)/))[1]]
  }
  const shared = `shared: redis://127.0.0.1:${redis.port}/0`
  expect(await start('low-funds', 'team-a')).toEqual(['low-funds', `${shared} (prefix team-a)`])
  expect(await start('ip-conflict', 'team-a')).toEqual([
    'low-funds',
    `${shared} (prefix team-a); joined low-funds, so ip-conflict was not loaded`,
  ])
  expect(await start('ip-conflict', 'team-b')).toEqual(['ip-conflict', `${shared} (prefix team-b)`])
})

const hasBalancer = spawnSync('haproxy', ['-v']).error === undefined

test.skipIf(!hasRedis || !hasBalancer)(
  'the load balancer of compose.yaml distributes requests, and skips replicas that are stopping',
  async () => {
    const redis = await startRedis()
    const running = [launchReplica(redis), launchReplica(redis)]
    const urls = await Promise.all(running.map(waitForUrl))
    const file = fileURLToPath(new URL('../../../compose.yaml', import.meta.url))
    const { configs } = parse(readFileSync(file, 'utf8')) as { configs: { balancer: { content: string } } }
    const port = await findFreePort()
    const servers = urls.map((url, index) => `  server replica${index} ${new URL(url).host}`).join('\n')
    const config = configs.balancer.content
      .replace(/^ {2}bind .*$/m, `  bind 127.0.0.1:${port}`)
      .replace(/^ {2}server-template .*$/m, servers)
      .replace(/^resolvers docker\n(?: {2}.*\n)*/m, '')
    expect(config).toContain('server replica1')
    const configFile = join(createFolder(), 'haproxy.cfg')
    writeFileSync(configFile, config)
    execFileSync('haproxy', ['-c', '-f', configFile])
    const balancer = launch([], { program: ['haproxy', '-f', configFile] })
    const front = `http://127.0.0.1:${port}`
    await expect.poll(() => isHealthy(front)).toBe(true)
    const statuses = new Set<number>()
    const [stopped] = running
    stopped?.child.kill('SIGTERM')
    while (stopped?.child.exitCode === null) statuses.add(await readCredit(front))
    for (let n = 0; n < 20; n++) statuses.add(await readCredit(front))
    expect([...statuses]).toEqual([200])
    balancer.child.kill('SIGKILL')
  },
)

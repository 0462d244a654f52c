// What it costs to share the state through a Redis on the same machine: a replica beside the same program in memory, 1,000 accounts in use.
//   tsx bench/replicas/index.ts [--quick]
import { parseArgs } from 'node:util'
import { hasRedis, RedisServer } from '../../test/support/redis.ts'
import { build } from '../lib/build.ts'
import { compare } from '../lib/compare.ts'
import { megabytes, milliseconds, ratio, table, whole } from '../lib/format.ts'
import { isMain } from '../lib/isMain.ts'
import { LoadGenerator } from '../lib/LoadGenerator.ts'
import { startOurs } from '../lib/ours.ts'
import { writeScenario } from '../lib/scenario.ts'
import type { ServerProcess } from '../lib/ServerProcess.ts'
import { median, spread } from '../lib/statistics.ts'
import { temporaryFolder } from '../lib/temporary.ts'
import { authorizationOf, createAccount, workloadNamed } from '../lib/Workload.ts'

const accounts = 1000

const each = Array.from({ length: accounts }, (_, i) => authorizationOf(`acct_${i + 1}`))
const hot = each.slice(0, 1)

/** Runs the benchmark. @returns Markdown */
export async function replicas({ quick = false }: { quick?: boolean } = {}): Promise<string> {
  if (!hasRedis) return 'Not measured: there is no `redis-server` here.'
  const product = build()
  const scenario = writeScenario(temporaryFolder())
  const redis = await RedisServer.start('--appendonly', 'yes')
  const load = new LoadGenerator()
  const flags = ['--max-semi-space-size=64'] // requests that wait for a round trip would be promoted
  const start = (name: string, options: object): Promise<ServerProcess> =>
    startOurs(product, { scenario, ...options }, { name, flags })
  const alone = await start('in memory', {})
  const replica = await start('one replica', { store: redis.socketUrl })
  const second = await start('second replica', { store: redis.socketUrl })
  const byTcp = await start('by TCP', { store: redis.url, storePrefix: 'tcp' })
  const otherLoad = new LoadGenerator()
  try {
    const measured = [alone, replica, byTcp]
    for (const server of [alone, replica])
      await load.run(server, { workload: createAccount, connections: 32, requests: accounts })
    const memory = `Redis keeps ${megabytes(await usedMemory(redis))} for ${whole(accounts + 1)} accounts and the journal of their creation.`
    await load.run(byTcp, { workload: createAccount, connections: 32, requests: accounts })
    const all = await (await fetch(`${replica.url}/__admin/scenario`)).text()
    for (const server of measured) await ask(server, 'PUT', '/__admin/scenario', all)
    const reset = await resets(replica)
    const rows: string[][] = []
    for (const connections of quick ? [1, 32] : [1, 8, 32, 128])
      for (const name of ['list of 20 products', 'one service', 'order']) {
        const workload = { ...workloadNamed(name), authorizations: each }
        // Orders make worlds grow; after some 140 for each account, all of them exceed a replica's cache.
        for (const server of measured) await ask(server, 'POST', '/__admin/reset')
        const [own, shared, tcp] = await compare(load, measured, {
          workloadOf: () => workload,
          connections,
          milliseconds: quick ? 500 : 1000,
          warmUp: 1000,
          repetitions: quick ? 3 : 5,
        })
        if (!own || !shared || !tcp) throw new Error('nothing was measured')
        rows.push([
          String(connections),
          name,
          `${whole(own.rate)}/s`,
          ratio(shared.share),
          ratio(tcp.share),
          `${milliseconds(own.p50)} → ${milliseconds(shared.p50)}`,
          `${whole(own.cpu)} → ${whole(shared.cpu)} µs`,
        ])
        process.stderr.write('.')
      }
    const parts = [
      table(
        ['connections', 'workload', 'in memory', 'one replica', 'by TCP', 'p50', 'processor time a request'],
        rows,
      ),
      await contention([load, otherLoad], [replica, second], quick),
      reset,
      memory,
    ]
    return parts.join('\n\n')
  } finally {
    for (const server of [alone, replica, second, byTcp]) await server.stop()
    load.stop()
    otherLoad.stop()
    await redis.stop()
  }
}

/** One account that all want, at one replica and at two. */
async function contention(
  loads: readonly LoadGenerator[],
  servers: readonly ServerProcess[],
  quick: boolean,
): Promise<string> {
  const workload = { ...workloadNamed('order'), authorizations: hot }
  const run = async (count: number): Promise<number> => {
    const samples = await Promise.all(
      servers.slice(0, count).map((server, i) =>
        (loads[i] as LoadGenerator).run(server, {
          workload,
          connections: 32 / count,
          milliseconds: quick ? 700 : 1500,
        }),
      ),
    )
    return samples.reduce((sum, { rate }) => sum + rate, 0)
  }
  await run(2)
  const ones: number[] = []
  const twos: number[] = []
  for (let repetition = 0; repetition < (quick ? 3 : 5); repetition++) {
    ones.push(await run(1))
    twos.push(await run(2))
  }
  const share = spread(twos.map((rate, i) => rate / (ones[i] as number)))
  return `Orders of one account, 32 connections: ${whole(median(ones))}/s at one replica; shared out over two replicas, ${ratio(share)} of that.`
}

async function resets(server: ServerProcess): Promise<string> {
  const times: number[] = []
  for (let repetition = 0; repetition < 5; repetition++) {
    const began = performance.now()
    const { accounts: loaded } = await ask<{ accounts: string[] }>(server, 'POST', '/__admin/reset')
    times.push(performance.now() - began)
    if (loaded.length <= accounts) throw new Error(`a reset loaded ${loaded.length} accounts`)
  }
  return `A reset of a scenario of ${whole(accounts + 1)} accounts: ${milliseconds(median(times))} ms.`
}

async function ask<T>({ url }: ServerProcess, method: string, path: string, body?: string): Promise<T> {
  const reply = await fetch(url + path, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body }),
  })
  if (!reply.ok) throw new Error(await reply.text())
  return (await reply.json()) as T
}

async function usedMemory(redis: RedisServer): Promise<number> {
  const info = String(await redis.command('INFO', 'memory'))
  return Number(/used_memory:(\d+)/.exec(info)?.[1] ?? 0)
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' } } })
  process.stdout.write(`${await replicas({ quick: values.quick ?? false })}\n`)
}

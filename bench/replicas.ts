import { hasRedis, RedisServer } from '../test/support/redis.ts'
import type { Benchmark } from './lib/Benchmark.ts'
import { build } from './lib/build.ts'
import { compare, type Compared } from './lib/compare.ts'
import { createAccounts } from './lib/createAccounts.ts'
import { megabytes, milliseconds, ratio, table, whole } from './lib/format.ts'
import { LoadGenerator } from './lib/LoadGenerator.ts'
import { admin, startOurs } from './lib/ours.ts'
import { writeScenario } from './lib/scenario.ts'
import type { Server } from './lib/Server.ts'
import { median, spread } from './lib/statistics.ts'
import { temporaryFolder } from './lib/temporary.ts'
import { basicAuthorization, workloadNamed } from './lib/Workload.ts'

const accounts = 900 // a scenario may have 20,000 products

const each = Array.from({ length: accounts }, (_, i) => basicAuthorization(`acct_${i + 1}`))
const hot = each.slice(0, 1)

export const replicas: Benchmark = {
  title: 'Replicas',
  description:
    'One program in memory, and one that shares its state through a Redis on the same machine, which keeps a log of all changes. Rates of the replica are shares of the program in memory.',
  async run({ quick }) {
    if (!hasRedis) return 'Not measured: there is no `redis-server` here.'
    const product = build()
    const scenario = writeScenario(temporaryFolder())
    const redis = await RedisServer.start('--appendonly', 'yes')
    const load = new LoadGenerator()
    const otherLoad = new LoadGenerator()
    const nodeFlags = ['--max-semi-space-size=64'] // requests that wait for a round trip would be promoted
    const start = (name: string, flags: readonly string[]): Promise<Server> =>
      startOurs(product, ['--scenario', scenario, ...flags], { name, nodeFlags })
    const alone = await start('in memory', ['--in-memory'])
    const replica = await start('one replica', ['--store', redis.url])
    const second = await start('second replica', ['--store', redis.url])
    try {
      for (const server of [alone, replica]) await createAccounts(load, server, accounts)
      const memory = `Redis keeps ${megabytes(await usedMemory(redis))} for ${whole(accounts + 1)} accounts and the journal of their creation.`
      // A reset loads it again
      const all = JSON.stringify(await admin(replica, 'GET', '/scenario'))
      for (const server of [alone, replica]) await admin(server, 'PUT', '/scenario', all)
      const reset = await resets(replica)
      const rows: string[][] = []
      for (const connections of quick ? [1, 32] : [1, 8, 32, 128])
        for (const name of ['list of 20 products', 'one service', 'order']) {
          const workload = { ...workloadNamed(name), authorizations: each }
          // Orders make accounts grow, until all of them exceed a replica's cache.
          for (const server of [alone, replica]) await admin(server, 'POST', '/reset')
          const [own, shared] = (await compare(load, [alone, replica], {
            getWorkload: () => workload,
            connections,
            milliseconds: quick ? 500 : 1000,
            warmUp: 1000,
            repetitions: quick ? 3 : 5,
          })) as [Compared, Compared]
          rows.push([
            String(connections),
            name,
            `${whole(own.rate)}/s`,
            ratio(shared.share),
            `${milliseconds(own.p50)} → ${milliseconds(shared.p50)}`,
            `${whole(own.cpu)} → ${whole(shared.cpu)} µs`,
          ])
          process.stderr.write('.')
        }
      return [
        table(
          ['connections', 'workload', 'in memory', 'one replica', 'p50', 'processor time a request'],
          rows,
        ),
        await contention([load, otherLoad], [replica, second], quick),
        reset,
        memory,
      ].join('\n\n')
    } finally {
      for (const server of [alone, replica, second]) await server.stop()
      load.stop()
      otherLoad.stop()
      await redis.stop()
    }
  },
}

/** Measures one account under load from all connections, with one replica and with two. */
async function contention(
  loads: readonly LoadGenerator[],
  servers: readonly Server[],
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

async function resets(server: Server): Promise<string> {
  const times: number[] = []
  for (let repetition = 0; repetition < 5; repetition++) {
    const began = performance.now()
    const { accounts: loaded } = await admin<{ accounts: string[] }>(server, 'POST', '/reset')
    times.push(performance.now() - began)
    if (loaded.length <= accounts) throw new Error(`a reset loaded ${loaded.length} accounts`)
  }
  return `A reset of a scenario of ${whole(accounts + 1)} accounts: ${milliseconds(median(times))} ms.`
}

async function usedMemory(redis: RedisServer): Promise<number> {
  const info = String(await redis.command('INFO', 'memory'))
  return Number(/used_memory:(\d+)/.exec(info)?.[1] ?? 0)
}

import { hasRedis, RedisServer } from '../test/support/redis.ts'
import type { Benchmark } from './lib/Benchmark.ts'
import { buildProduct } from './lib/build.ts'
import { compare, type Compared } from './lib/compare.ts'
import { createAccounts } from './lib/createAccounts.ts'
import { formatMegabytes, formatMilliseconds, formatRatio, renderTable, formatInteger } from './lib/format.ts'
import { LoadGenerator } from './lib/LoadGenerator.ts'
import { admin, startProduct } from './lib/ours.ts'
import { writeScenario } from './lib/scenario.ts'
import type { Server } from './lib/Server.ts'
import { median, computeSpread } from './lib/statistics.ts'
import { createTemporaryFolder } from './lib/temporary.ts'
import { basicAuthorization, getWorkload } from './lib/Workload.ts'

const accounts = 900 // a scenario may have 20,000 products

const allAuthorizations = Array.from({ length: accounts }, (_, i) => basicAuthorization(`acct_${i + 1}`))
const oneAuthorization = allAuthorizations.slice(0, 1)

export const replicas: Benchmark = {
  title: 'Replicas',
  description:
    'One server with its state in memory, and one replica with its state in Redis on the same machine, with `appendonly yes`. The rates of the replica are shares of the first server’s.',
  async run({ quick }) {
    if (!hasRedis) return 'Not measured, because `redis-server` is not installed.'
    const product = buildProduct()
    const scenario = writeScenario(createTemporaryFolder())
    const redis = await RedisServer.start('--appendonly', 'yes')
    const load = new LoadGenerator()
    const otherLoad = new LoadGenerator()
    // With less space, garbage collection would promote requests that wait for Redis.
    const nodeFlags = ['--max-semi-space-size=64']
    const start = (name: string, flags: readonly string[]): Promise<Server> =>
      startProduct(product, ['--scenario', scenario, ...flags], { name, nodeFlags })
    const alone = await start('in memory', ['--in-memory'])
    const replica = await start('one replica', ['--store', redis.url])
    const second = await start('second replica', ['--store', redis.url])
    try {
      for (const server of [alone, replica]) await createAccounts(load, server, accounts)
      const memory = `Redis uses ${formatMegabytes(await readUsedMemory(redis))} for ${formatInteger(accounts + 1)} accounts and the journal of their creation.`
      // A reset then loads this scenario.
      const all = JSON.stringify(await admin(replica, 'GET', '/scenario'))
      for (const server of [alone, replica]) await admin(server, 'PUT', '/scenario', all)
      const reset = await measureResets(replica)
      const rows: string[][] = []
      for (const connections of quick ? [1, 32] : [1, 8, 32, 128])
        for (const name of ['list of 20 products', 'one service', 'order']) {
          const workload = { ...getWorkload(name), authorizations: allAuthorizations }
          // Orders make accounts grow, until all of them exceed a replica's cache.
          for (const server of [alone, replica]) await admin(server, 'POST', '/reset')
          const [single, shared] = (await compare(load, [alone, replica], {
            getWorkload: () => workload,
            connections,
            milliseconds: quick ? 500 : 1000,
            warmUp: 1000,
            repetitions: quick ? 3 : 5,
          })) as [Compared, Compared]
          rows.push([
            String(connections),
            name,
            `${formatInteger(single.rate)}/s`,
            formatRatio(shared.share),
            `${formatMilliseconds(single.p50)} → ${formatMilliseconds(shared.p50)}`,
            `${formatInteger(single.cpu)} → ${formatInteger(shared.cpu)} µs`,
          ])
          process.stderr.write('.')
        }
      return [
        renderTable(
          ['connections', 'workload', 'in memory', 'one replica', 'p50', 'CPU time per request'],
          rows,
        ),
        await measureContention([load, otherLoad], [replica, second], quick),
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
async function measureContention(
  loads: readonly LoadGenerator[],
  servers: readonly Server[],
  quick: boolean,
): Promise<string> {
  const workload = { ...getWorkload('order'), authorizations: oneAuthorization }
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
  const oneReplicaRates: number[] = []
  const twoReplicaRates: number[] = []
  for (let repetition = 0; repetition < (quick ? 3 : 5); repetition++) {
    oneReplicaRates.push(await run(1))
    twoReplicaRates.push(await run(2))
  }
  const share = computeSpread(twoReplicaRates.map((rate, i) => rate / (oneReplicaRates[i] as number)))
  return `Orders of one account, 32 connections: ${formatInteger(median(oneReplicaRates))}/s with one replica; with two replicas, ${formatRatio(share)} of that.`
}

async function measureResets(server: Server): Promise<string> {
  const times: number[] = []
  for (let repetition = 0; repetition < 5; repetition++) {
    const began = performance.now()
    const { accounts: loaded } = await admin<{ accounts: string[] }>(server, 'POST', '/reset')
    times.push(performance.now() - began)
    if (loaded.length <= accounts) throw new Error(`A reset loaded only ${loaded.length} accounts.`)
  }
  return `A reset of a scenario of ${formatInteger(accounts + 1)} accounts: ${formatMilliseconds(median(times))} ms.`
}

async function readUsedMemory(redis: RedisServer): Promise<number> {
  const info = String(await redis.command('INFO', 'memory'))
  return Number(/used_memory:(\d+)/.exec(info)?.[1] ?? 0)
}

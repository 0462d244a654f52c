import { join } from 'node:path'
import type { Benchmark } from './lib/Benchmark.ts'
import { build } from './lib/build.ts'
import { compare, rateOrShare, type Compared } from './lib/compare.ts'
import { createAccounts } from './lib/createAccounts.ts'
import { megabytes, table, whole } from './lib/format.ts'
import { LoadGenerator } from './lib/LoadGenerator.ts'
import { startOurs } from './lib/ours.ts'
import { writeScenario } from './lib/scenario.ts'
import { temporaryFolder } from './lib/temporary.ts'
import { basicAuthorization, login, workloadNamed } from './lib/Workload.ts'

const counts = [1, 100, 10_000]

export const accounts: Benchmark = {
  title: 'Accounts',
  description:
    'So many isolated accounts in one server, kept in a file, each request to another one. Shares are of the server with one.',
  async run({ quick }) {
    const product = build()
    const folder = temporaryFolder()
    const scenario = writeScenario(folder)
    const load = new LoadGenerator()
    const servers = await Promise.all(
      counts.map((count) =>
        startOurs(product, ['--scenario', scenario, '--db', join(folder, `${count}.json`)], {
          name: `${whole(count)} accounts`,
        }),
      ),
    )
    try {
      const created: string[] = []
      const untouched: string[] = []
      for (const [i, server] of servers.entries()) {
        const requests = (counts[i] as number) - 1
        if (requests > 0) {
          const { rate } = await createAccounts(load, server, requests)
          created.push(`${whole(rate)}/s`)
        } else created.push('–')
        untouched.push(megabytes(server.memory))
      }
      const measure = (name: string): Promise<Compared[]> =>
        compare(load, servers, {
          getWorkload: (i) => ({
            ...workloadNamed(name),
            authorizations: authorizations(counts[i] as number),
          }),
          connections: 32,
          milliseconds: quick ? 500 : 1000,
          warmUp: 1500,
          repetitions: quick ? 3 : 5,
        })
      const orders = await measure('order')
      const lists = await measure('list of 20 products')
      return table(
        ['accounts', 'created', 'memory then', 'orders', 'list of 20 products', 'memory in the end'],
        counts.map((count, i) => [
          whole(count),
          created[i] as string,
          untouched[i] as string,
          rateOrShare(orders, i),
          rateOrShare(lists, i),
          megabytes(servers[i]?.memory ?? 0),
        ]),
      )
    } finally {
      for (const server of servers) await server.stop()
      load.stop()
    }
  },
}

function authorizations(count: number): string[] {
  return [login, ...Array.from({ length: count - 1 }, (_, i) => `acct_${i + 1}`)].map(basicAuthorization)
}

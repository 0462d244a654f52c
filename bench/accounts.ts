import { join } from 'node:path'
import type { Benchmark } from './lib/Benchmark.ts'
import { buildProduct } from './lib/build.ts'
import { compare, formatRateOrShare, type Compared } from './lib/compare.ts'
import { createAccounts } from './lib/createAccounts.ts'
import { formatMegabytes, renderTable, formatInteger } from './lib/format.ts'
import { LoadGenerator } from './lib/LoadGenerator.ts'
import { startProduct } from './lib/ours.ts'
import { writeScenario } from './lib/scenario.ts'
import { createTemporaryFolder } from './lib/temporary.ts'
import { basicAuthorization, login, getWorkload } from './lib/Workload.ts'

const counts = [1, 100, 10_000]

export const accounts: Benchmark = {
  title: 'Accounts',
  description:
    'One server with this many isolated accounts and a state file. Each request uses another account. Shares are relative to the server with one account.',
  async run({ quick }) {
    const product = buildProduct()
    const folder = createTemporaryFolder()
    const scenario = writeScenario(folder)
    const load = new LoadGenerator()
    const servers = await Promise.all(
      counts.map((count) =>
        startProduct(product, ['--scenario', scenario, '--db', join(folder, `${count}.json`)], {
          name: `${formatInteger(count)} accounts`,
        }),
      ),
    )
    try {
      const created: string[] = []
      const initialMemory: string[] = []
      for (const [i, server] of servers.entries()) {
        const requests = (counts[i] as number) - 1
        if (requests > 0) {
          const { rate } = await createAccounts(load, server, requests)
          created.push(`${formatInteger(rate)}/s`)
        } else created.push('–')
        initialMemory.push(formatMegabytes(server.memory))
      }
      const measure = (name: string): Promise<Compared[]> =>
        compare(load, servers, {
          getWorkload: (i) => ({
            ...getWorkload(name),
            authorizations: listAuthorizations(counts[i] as number),
          }),
          connections: 32,
          milliseconds: quick ? 500 : 1000,
          warmUp: 1500,
          repetitions: quick ? 3 : 5,
        })
      const orders = await measure('order')
      const lists = await measure('list of 20 products')
      return renderTable(
        ['accounts', 'created', 'memory before', 'orders', 'list of 20 products', 'memory after'],
        counts.map((count, i) => [
          formatInteger(count),
          created[i] as string,
          initialMemory[i] as string,
          formatRateOrShare(orders, i),
          formatRateOrShare(lists, i),
          formatMegabytes(servers[i]?.memory ?? 0),
        ]),
      )
    } finally {
      for (const server of servers) await server.stop()
      load.stop()
    }
  },
}

function listAuthorizations(count: number): string[] {
  return [login, ...Array.from({ length: count - 1 }, (_, i) => `acct_${i + 1}`)].map(basicAuthorization)
}

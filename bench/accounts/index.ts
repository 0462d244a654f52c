// What many accounts cost: 1, 100 and 10,000 isolated worlds in one server, kept in a file, all of them in use.
//   tsx bench/accounts/index.ts [--quick]
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from '../lib/build.ts'
import { compare, type Compared } from '../lib/compare.ts'
import { megabytes, ratio, table, whole } from '../lib/format.ts'
import { isMain } from '../lib/isMain.ts'
import { LoadGenerator } from '../lib/LoadGenerator.ts'
import { startOurs } from '../lib/ours.ts'
import { writeScenario } from '../lib/scenario.ts'
import { temporaryFolder } from '../lib/temporary.ts'
import { authorizationOf, createAccount, login, workloadNamed } from '../lib/Workload.ts'

const counts = [1, 100, 10_000]

/** Runs the benchmark. @returns Markdown */
export async function accounts({ quick = false }: { quick?: boolean } = {}): Promise<string> {
  const product = build()
  const folder = temporaryFolder()
  const scenario = writeScenario(folder)
  const load = new LoadGenerator()
  const servers = await Promise.all(
    counts.map((count) =>
      startOurs(
        product,
        { scenario, db: join(folder, `${count}.json`) },
        { name: `${whole(count)} accounts` },
      ),
    ),
  )
  try {
    const created: string[] = []
    const untouched: string[] = []
    for (const [i, server] of servers.entries()) {
      const requests = (counts[i] as number) - 1
      if (requests === 0) created.push('–')
      else {
        const { rate } = await load.run(server, { workload: createAccount, connections: 32, requests })
        created.push(`${whole(rate)}/s`)
      }
      untouched.push(megabytes(server.memory))
    }
    const measure = (name: string): Promise<Compared[]> =>
      compare(load, servers, {
        workloadOf: (i) => ({ ...workloadNamed(name), authorizations: authorizations(counts[i] as number) }),
        connections: 32,
        milliseconds: quick ? 500 : 1000,
        warmUp: 1500,
        repetitions: quick ? 3 : 5,
        before: 'trim',
      })
    const orders = await measure('order')
    const lists = await measure('list of 20 products')
    const memory: string[] = []
    for (const server of servers) memory.push(megabytes(server.memory))
    return table(
      ['accounts', 'created', 'memory then', 'orders', 'list of 20 products', 'memory in the end'],
      counts.map((count, i) => [
        whole(count),
        created[i] as string,
        untouched[i] as string,
        share(orders, i),
        share(lists, i),
        memory[i] as string,
      ]),
    )
  } finally {
    for (const server of servers) await server.stop()
    load.stop()
  }
}

function authorizations(count: number): string[] {
  const logins = [login, ...Array.from({ length: count - 1 }, (_, i) => `acct_${i + 1}`)]
  return logins.map(authorizationOf)
}

function share(all: readonly Compared[], i: number): string {
  const { share: own, rate } = all[i] as Compared
  return i === 0 ? `1 = ${whole(rate)}/s` : ratio(own)
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' } } })
  process.stdout.write(`${await accounts({ quick: values.quick ?? false })}\n`)
}

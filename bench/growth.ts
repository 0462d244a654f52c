import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Benchmark } from './lib/Benchmark.ts'
import { build } from './lib/build.ts'
import { compare, rateOrShare, type Compared } from './lib/compare.ts'
import { megabytes, milliseconds as ms, table, whole } from './lib/format.ts'
import { LoadGenerator } from './lib/LoadGenerator.ts'
import { admin, restoring, startOurs } from './lib/ours.ts'
import { writeScenario } from './lib/scenario.ts'
import { temporaryFolder } from './lib/temporary.ts'
import { login, workloadNamed, type Workload } from './lib/Workload.ts'

const sizes = [10, 1000, 10_000, 100_000]

const list: Workload = { ...workloadNamed('one service'), name: 'list of services', path: '/api/services' }

export const growth: Benchmark = {
  title: 'Growth',
  description:
    'One account, kept in a file, with more and more services. Shares are of the account with 10. Each measurement starts from the same snapshot.',
  async run({ quick }) {
    const product = build()
    const folder = temporaryFolder()
    const load = new LoadGenerator()
    const files: string[] = []
    for (const size of sizes) files.push(await filledFile(product, folder, size))
    const bytes = files.map((file) => statSync(file).size)
    const servers = await Promise.all(
      files.map((db, i) =>
        startOurs(product, ['--db', db], { name: `${whole(sizes[i] as number)} services` }),
      ),
    )
    try {
      const before = await restoring(servers)
      const measure = (workload: Workload, connections: number): Promise<Compared[]> =>
        compare(load, servers, {
          getWorkload: () => workload,
          connections,
          milliseconds: quick ? 500 : 1000,
          warmUp: 1000,
          repetitions: quick ? 3 : 5,
          before,
        })
      const many = await measure(workloadNamed('order'), 32)
      const one = await measure(workloadNamed('order'), 1)
      const reads = await measure(workloadNamed('one service'), 32)
      const lists: number[] = []
      for (const server of servers) {
        await before(server)
        lists.push((await load.run(server, { workload: list, connections: 1, requests: 50 })).p50)
      }
      return table(
        [
          'services',
          'file',
          'orders, 32 connections',
          'longest',
          'orders, one',
          'one service',
          'list of all',
        ],
        sizes.map((size, i) => [
          whole(size),
          megabytes(bytes[i] as number),
          rateOrShare(many, i),
          `${ms(many[i]?.longest ?? 0)} ms`,
          rateOrShare(one, i),
          rateOrShare(reads, i),
          `${ms(lists[i] as number)} ms`,
        ]),
      )
    } finally {
      for (const server of servers) await server.stop()
      load.stop()
    }
  },
}

/** How many records one patch may hold */
const patchSize = 1000

/** Writes the state file of an account with this many services, each bound to its own address, after a clean stop. */
export async function filledFile(product: string, folder: string, size: number): Promise<string> {
  const db = join(folder, `${size}.json`)
  const server = await startOurs(product, ['--scenario', writeScenario(folder), '--db', db])
  for (let from = 1; from < size; from += patchSize) {
    const services: Record<number, object> = {}
    for (let i = from; i < Math.min(from + patchSize, size); i++) {
      const bindedip = `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`
      services[5001 + i] = { client: 11, product: 101, bindedip }
    }
    await admin(server, 'PATCH', `/accounts/${login}`, JSON.stringify({ services }))
  }
  await server.stop()
  return db
}

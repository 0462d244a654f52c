import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Benchmark } from './lib/Benchmark.ts'
import { buildProduct } from './lib/build.ts'
import { compare, formatRateOrShare, type Compared } from './lib/compare.ts'
import { formatMegabytes, formatMilliseconds as ms, renderTable, formatInteger } from './lib/format.ts'
import { LoadGenerator } from './lib/LoadGenerator.ts'
import { admin, takeSnapshots, startProduct } from './lib/ours.ts'
import { writeScenario } from './lib/scenario.ts'
import { createTemporaryFolder } from './lib/temporary.ts'
import { login, getWorkload, type Workload } from './lib/Workload.ts'

const sizes = [10, 1000, 10_000, 100_000]

const list: Workload = { ...getWorkload('one service'), name: 'list of services', path: '/api/services' }

export const growth: Benchmark = {
  title: 'Growth',
  description:
    'One account with a growing number of services and a state file. Shares are relative to the account with 10. Each measurement starts from the same snapshot.',
  async run({ quick }) {
    const product = buildProduct()
    const folder = createTemporaryFolder()
    const load = new LoadGenerator()
    const files: string[] = []
    for (const size of sizes) files.push(await createFilledFile(product, folder, size))
    const bytes = files.map((file) => statSync(file).size)
    const servers = await Promise.all(
      files.map((db, i) =>
        startProduct(product, ['--db', db], { name: `${formatInteger(sizes[i] as number)} services` }),
      ),
    )
    try {
      const before = await takeSnapshots(servers)
      const measure = (workload: Workload, connections: number): Promise<Compared[]> =>
        compare(load, servers, {
          getWorkload: () => workload,
          connections,
          milliseconds: quick ? 500 : 1000,
          warmUp: 1000,
          repetitions: quick ? 3 : 5,
          before,
        })
      const many = await measure(getWorkload('order'), 32)
      const one = await measure(getWorkload('order'), 1)
      const reads = await measure(getWorkload('one service'), 32)
      const lists: number[] = []
      for (const server of servers) {
        await before(server)
        lists.push((await load.run(server, { workload: list, connections: 1, requests: 50 })).p50)
      }
      return renderTable(
        [
          'services',
          'file',
          'orders, 32 connections',
          'longest',
          'orders, 1 connection',
          'one service',
          'all services',
        ],
        sizes.map((size, i) => [
          formatInteger(size),
          formatMegabytes(bytes[i] as number),
          formatRateOrShare(many, i),
          `${ms(many[i]?.longest ?? 0)} ms`,
          formatRateOrShare(one, i),
          formatRateOrShare(reads, i),
          `${ms(lists[i] as number)} ms`,
        ]),
      )
    } finally {
      for (const server of servers) await server.stop()
      load.stop()
    }
  },
}

/** Maximum number of records in a patch */
const patchSize = 1000

/** Creates the state file of an account with this many services, each bound to another address. @returns its path */
export async function createFilledFile(product: string, folder: string, size: number): Promise<string> {
  const db = join(folder, `${size}.json`)
  const server = await startProduct(product, ['--scenario', writeScenario(folder), '--db', db])
  for (let first = 1; first < size; first += patchSize) {
    const services: Record<number, object> = {}
    for (let i = first; i < Math.min(first + patchSize, size); i++) {
      const bindedip = `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`
      services[5001 + i] = { client: 11, product: 101, bindedip }
    }
    await admin(server, 'PATCH', `/accounts/${login}`, JSON.stringify({ services }))
  }
  await server.stop()
  return db
}

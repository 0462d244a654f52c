import { join } from 'node:path'
import type { Benchmark } from './lib/Benchmark.ts'
import { buildProduct } from './lib/build.ts'
import { captureResponses } from './lib/captureResponses.ts'
import { compare, type Compared } from './lib/compare.ts'
import { formatMilliseconds as ms, formatRatio, renderTable, formatInteger } from './lib/format.ts'
import { LoadGenerator } from './lib/LoadGenerator.ts'
import { startProduct } from './lib/ours.ts'
import { writeScenario } from './lib/scenario.ts'
import { getScriptCommand, Server } from './lib/Server.ts'
import { createTemporaryFolder } from './lib/temporary.ts'
import { getWorkload, serviceIds, workloads, type Workload } from './lib/Workload.ts'

/** Reads of which 95% are not cached */
const changingReads: Workload = {
  ...getWorkload('one service'),
  name: 'one of 2,000 services',
  paths: serviceIds.map((id) => `/api/service/${id}`),
}

export const floor: Benchmark = {
  title: 'Floor',
  description:
    'Six requests to bare `node:http`, which only sends the same bytes; to Express with its defaults; to the usual express-openapi-validator setup with both validations on; and to ours: authentication, both validations, the operation, the journal and, with a file, a change that survives `kill -9`. A repeated GET is validated and performed once, until its world changes (`ReadCache`): the list and the one service profit from it. Orders, updates and refusals are not cached, nor is, in the last row, 95% of the reads, which ask for 2,000 services in turn.',
  async run({ quick, only, profiles }) {
    const folder = createTemporaryFolder()
    const product = buildProduct()
    const scenario = writeScenario(folder)
    const { file } = await captureResponses(product, scenario, folder)
    const env = { BENCH_RESPONSES: file, BENCH_PRODUCT: product }
    const load = new LoadGenerator()
    const sections: string[] = []
    for (const connections of quick ? [32] : [32, 1]) {
      const results: [Workload, Compared[]][] = []
      for (const workload of [...workloads, changingReads].filter(({ name }) => name.startsWith(only))) {
        const db = join(folder, `${workload.name.replaceAll(' ', '-')}-${connections}.json`)
        const ours = ['--scenario', scenario]
        const nodeFlags = profiles === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profiles]
        const servers = [
          await Server.start({ name: 'bare node:http', command: getScriptCommand('bareNode'), env }),
          await Server.start({ name: 'bare Express', command: getScriptCommand('bareExpress'), env }),
          await Server.start({ name: 'usual validator', command: getScriptCommand('usualValidator'), env }),
          await startProduct(product, [...ours, '--db', db], { nodeFlags }),
          await startProduct(product, [...ours, '--in-memory'], { name: 'ours, in memory' }),
        ]
        try {
          const compared = await compare(load, servers, {
            getWorkload: () => workload,
            connections,
            milliseconds: quick ? 600 : connections === 1 ? 400 : 800,
            warmUp: 1200,
            repetitions: quick ? 3 : 5,
          })
          results.push([workload, compared])
        } finally {
          for (const server of servers) await server.stop()
        }
        process.stderr.write('.')
      }
      sections.push(report(connections, results))
    }
    load.stop()
    return sections.join('\n\n')
  },
}

function report(connections: number, results: readonly [Workload, Compared[]][]): string {
  const names = results[0]?.[1].map(({ name }) => name) ?? []
  const rows = (cell: (compared: Compared) => string): string[][] =>
    results.map(([{ name }, compared]) => [name, ...compared.map(cell)])
  const title = connections === 1 ? 'One connection' : `${connections} connections`
  return [
    `**${title}: requests per second, as shares of bare node:http in the same repetition**`,
    renderTable(
      ['workload', ...names],
      rows(({ name, share, rate }) =>
        name === names[0] ? `1 = ${formatInteger(rate)}/s` : formatRatio(share),
      ),
    ),
    `**${title}: p99 in milliseconds · CPU time of the server per request in microseconds**`,
    renderTable(
      ['workload', ...names],
      rows(({ p99, cpu }) => `${ms(p99)} · ${formatInteger(cpu)}`),
    ),
  ].join('\n\n')
}

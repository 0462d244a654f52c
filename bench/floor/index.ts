// How far from the floor: bare node:http, Express, the usual validator set-up, and ours, on five workloads.
//   tsx bench/floor/index.ts [--quick] [--only order] [--profile]
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from '../lib/build.ts'
import { captureAnswers } from '../lib/captureAnswers.ts'
import { compare, type Compared } from '../lib/compare.ts'
import { milliseconds as ms, ratio, table, whole } from '../lib/format.ts'
import { isMain } from '../lib/isMain.ts'
import { LoadGenerator } from '../lib/LoadGenerator.ts'
import { startOurs } from '../lib/ours.ts'
import { writeScenario } from '../lib/scenario.ts'
import { ServerProcess } from '../lib/ServerProcess.ts'
import { cache, temporaryFolder } from '../lib/temporary.ts'
import { workloads, type Workload } from '../lib/Workload.ts'

export interface FloorOptions {
  quick?: boolean
  /** A workload's name, or how it begins */
  only?: string | undefined
  /** Where to write profiles of our server to */
  profiles?: string | undefined
}

/** Runs the benchmark. @returns Markdown */
export async function floor({ quick = false, only = '', profiles }: FloorOptions = {}): Promise<string> {
  const folder = temporaryFolder()
  const product = build()
  const scenario = writeScenario(folder)
  const answers = await captureAnswers(product, scenario, folder)
  const load = new LoadGenerator()
  const sections: string[] = []
  for (const connections of quick ? [32] : [32, 1]) {
    const results: [Workload, Compared[]][] = []
    for (const workload of workloads.filter(({ name }) => name.startsWith(only))) {
      const env = { BENCH_ANSWERS: answers, BENCH_PRODUCT: product }
      const flags = profiles === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profiles]
      const db = join(folder, `${workload.name.replaceAll(' ', '-')}-${connections}.json`)
      const servers = [
        await ServerProcess.ofScript('bare node:http', script('bareNode'), { env }),
        await ServerProcess.ofScript('bare Express', script('bareExpress'), { env }),
        await ServerProcess.ofScript('usual validator', script('usualValidator'), { env }),
        await startOurs(product, { scenario, db }, { name: 'ours', flags }),
        await startOurs(product, { scenario }, { name: 'ours, in memory' }),
      ]
      try {
        results.push([
          workload,
          await compare(load, servers, {
            workloadOf: () => workload,
            connections,
            milliseconds: quick ? 600 : connections === 1 ? 400 : 800,
            warmUp: 1200,
            repetitions: quick ? 3 : 5,
          }),
        ])
      } finally {
        for (const server of servers) await server.stop()
      }
      process.stderr.write('.')
    }
    sections.push(report(connections, results))
  }
  process.stderr.write('\n')
  load.stop()
  return sections.join('\n\n')
}

function script(name: string): string {
  return fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url))
}

function report(connections: number, results: readonly [Workload, Compared[]][]): string {
  const names = results[0]?.[1].map(({ name }) => name) ?? []
  const rows = (cell: (compared: Compared) => string): string[][] =>
    results.map(([{ name }, compared]) => [name, ...compared.map(cell)])
  const title = connections === 1 ? 'One connection' : `${connections} connections`
  return [
    `**${title}: requests per second, as shares of bare node:http in the same repetition**`,
    table(
      ['workload', ...names],
      rows(({ name, share, rate }) => (name === names[0] ? `1 = ${whole(rate)}/s` : ratio(share))),
    ),
    `**${title}: p99 in milliseconds · processor time of the server per request in microseconds**`,
    table(
      ['workload', ...names],
      rows(({ p99, cpu }) => `${ms(p99)} · ${whole(cpu)}`),
    ),
  ].join('\n\n')
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean' }, only: { type: 'string' }, profile: { type: 'boolean' } },
  })
  const profiles = values.profile ? join(cache, 'profiles') : undefined
  if (profiles !== undefined) mkdirSync(profiles, { recursive: true })
  process.stdout.write(`${await floor({ quick: values.quick ?? false, only: values.only, profiles })}\n`)
  if (profiles !== undefined) process.stdout.write(`\nProfiles: ${profiles}\n`)
}

// What memory is held: after many reads, beside Express as it comes; and for each service that is kept.
//   tsx bench/memory/index.ts [--quick]
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from '../lib/build.ts'
import { captureAnswers } from '../lib/captureAnswers.ts'
import { megabytes, ratio, table, whole } from '../lib/format.ts'
import { isMain } from '../lib/isMain.ts'
import { LoadGenerator } from '../lib/LoadGenerator.ts'
import { startOurs } from '../lib/ours.ts'
import { writeScenario } from '../lib/scenario.ts'
import { ServerProcess } from '../lib/ServerProcess.ts'
import { median, spread } from '../lib/statistics.ts'
import { temporaryFolder } from '../lib/temporary.ts'
import { workloadNamed, type Workload } from '../lib/Workload.ts'

/** Runs the benchmark. @returns Markdown */
export async function memory({ quick = false }: { quick?: boolean } = {}): Promise<string> {
  const product = build()
  const folder = temporaryFolder()
  const scenario = writeScenario(folder)
  const reads = await afterReads(product, scenario, folder, quick ? 1 : 5)
  const services = await perService(product, scenario, folder)
  process.stderr.write('\n')
  return [reads, services].join('\n\n')
}

const reads = 100_000

const mixed: Workload = {
  ...workloadNamed('one service'),
  name: 'reads',
  paths: ['list of 20 products', 'one service'].map((name) => workloadNamed(name).path),
}

/** Each repetition starts both anew: what a process once took, it seldom gives back. */
async function afterReads(
  product: string,
  scenario: string,
  folder: string,
  repetitions: number,
): Promise<string> {
  const env = { BENCH_ANSWERS: await captureAnswers(product, scenario, folder) }
  const express = fileURLToPath(new URL('../floor/servers/bareExpress.mjs', import.meta.url))
  const starts = [
    () => ServerProcess.ofScript('bare Express', express, { env }),
    (repetition: number) =>
      startOurs(
        product,
        { scenario, db: join(folder, `reads-${repetition}.json`) },
        { name: 'ours, kept in a file' },
      ),
  ]
  const load = new LoadGenerator()
  const seen = starts.map(() => ({ name: '', before: [] as number[], after: [] as number[] }))
  try {
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const [i, start] of starts.entries()) {
        const own = seen[i] as (typeof seen)[0]
        const server = await start(repetition)
        try {
          own.name = server.name
          own.before.push(server.memory)
          await load.run(server, { workload: mixed, connections: 32, requests: reads })
          own.after.push(server.memory)
        } finally {
          await server.stop()
        }
      }
      process.stderr.write('.')
    }
  } finally {
    load.stop()
  }
  const [first] = seen as [(typeof seen)[0]]
  return [
    `**Resident memory after ${whole(reads)} reads, 32 connections: the list and one service in turns. The goal is 1.5**`,
    table(
      ['', 'once it listens', 'after the reads', 'of bare Express'],
      seen.map(({ name, before, after }, i) => [
        name,
        megabytes(median(before)),
        megabytes(median(after)),
        i === 0 ? '1' : ratio(spread(after.map((bytes, k) => bytes / (first.after[k] as number)))),
      ]),
    ),
  ].join('\n\n')
}

const [least, most] = [10, 100_000]

/** Bytes for a service, by what Node calls them */
type Each = Pick<NodeJS.MemoryUsage, 'heapUsed' | 'external' | 'rss'>

/** What garbage collection leaves: resident memory is also what was free once, and may be again. */
async function perService(product: string, scenario: string, folder: string): Promise<string> {
  const few = await kept(product, scenario, folder, least)
  const many = await kept(product, scenario, folder, most)
  const rows: [string, Each][] = few.map(([name, before], i) => {
    const [, after] = many[i] as (typeof many)[0]
    return [name, difference(before, after, most - least)]
  })
  rows.push(['ordered, its invoice included', await ordered(product, scenario, folder)])
  return [
    `**Memory for a service: a world of ${whole(most)} less one of ${whole(least)}, in bytes, after a forced collection of garbage (\`--expose-gc\`). The goal is 1,024 of the heap**`,
    table(
      ['', 'heap', 'outside the heap', 'resident'],
      rows.map(([name, { heapUsed, external, rss }]) => [name, whole(heapUsed), whole(external), whole(rss)]),
    ),
  ].join('\n\n')
}

const flags = ['--expose-gc']

/** What a server with so many services holds, as it comes to have them and later. */
async function kept(
  product: string,
  scenario: string,
  folder: string,
  services: number,
): Promise<[string, NodeJS.MemoryUsage][]> {
  const db = join(folder, `services-${services}.json`)
  const held: [string, NodeJS.MemoryUsage][] = []
  const made = await startOurs(product, { scenario, db }, { flags, services })
  held.push(['just made', await made.ask('memory')])
  await made.stop()
  const read = await startOurs(product, { db }, { flags })
  held.push(['read from the file', await read.ask('memory')])
  await list(read.url, services)
  held.push(['after a list of all', await read.ask('memory')])
  await read.stop()
  process.stderr.write('.')
  return held
}

/** So many orders over HTTP; before, enough to fill the journal, which is bounded. */
async function ordered(product: string, scenario: string, folder: string): Promise<Each> {
  const server = await startOurs(product, { scenario, db: join(folder, 'ordered.json') }, { flags })
  const load = new LoadGenerator()
  try {
    const order = { workload: workloadNamed('order'), connections: 32 }
    await load.run(server, { ...order, requests: 5000 })
    const before = await server.ask<Each>('memory')
    await load.run(server, { ...order, requests: most })
    return difference(before, await server.ask('memory'), most)
  } finally {
    load.stop()
    await server.stop()
    process.stderr.write('.')
  }
}

function difference(before: Each, after: Each, count: number): Each {
  const each = (key: keyof Each): number => (after[key] - before[key]) / count
  return { heapUsed: each('heapUsed'), external: each('external'), rss: each('rss') }
}

/** @throws where there are not so many services */
async function list(url: string, services: number): Promise<void> {
  const answer = await fetch(`${url}/api/services`, { headers: workloadNamed('one service').headers })
  const found = Object.keys((await answer.json()) as object).length
  if (found !== services) throw new Error(`the list holds ${found} services instead of ${services}`)
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' } } })
  process.stdout.write(`${await memory({ quick: values.quick ?? false })}\n`)
}

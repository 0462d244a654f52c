// What a full world costs: orders, lists and pauses with 10 to 100,000 services in one world, kept in a file.
//   tsx bench/growth/index.ts [--quick]
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from '../lib/build.ts'
import { compare, type Compared } from '../lib/compare.ts'
import { megabytes, milliseconds as ms, ratio, table, whole } from '../lib/format.ts'
import { isMain } from '../lib/isMain.ts'
import { LoadGenerator } from '../lib/LoadGenerator.ts'
import { startOurs } from '../lib/ours.ts'
import { writeScenario } from '../lib/scenario.ts'
import type { ServerProcess } from '../lib/ServerProcess.ts'
import { temporaryFolder } from '../lib/temporary.ts'
import { workloadNamed, type Workload } from '../lib/Workload.ts'

const sizes = [10, 1000, 10_000, 100_000]

/** Runs the benchmark. @returns Markdown */
export async function growth({ quick = false }: { quick?: boolean } = {}): Promise<string> {
  const product = build()
  const folder = temporaryFolder()
  const load = new LoadGenerator()
  const files: string[] = []
  for (const size of sizes) files.push(await filled(product, folder, size))
  const bytes = files.map((file) => statSync(file).size)
  const servers = await Promise.all(
    files.map((db, i) => startOurs(product, { db }, { name: `${whole(sizes[i] as number)} services` })),
  )
  try {
    const measure = (workload: Workload, connections: number): Promise<Compared[]> =>
      compare(load, servers, {
        workloadOf: () => workload,
        connections,
        milliseconds: quick ? 500 : 1000,
        warmUp: 1000,
        repetitions: quick ? 3 : 5,
        before: 'trim',
      })
    const many = await measure(workloadNamed('order'), 32)
    const one = await measure(workloadNamed('order'), 1)
    const reads = await measure(workloadNamed('one service'), 32)
    const lists = await listCosts(load, servers, quick)
    const pauses = await pausesOf(load, servers)
    return report(bytes, { many, one, reads, lists, pauses })
  } finally {
    for (const server of servers) await server.stop()
    load.stop()
  }
}

/** A file that holds a world with so many services, as a clean stop leaves it. */
async function filled(product: string, folder: string, size: number): Promise<string> {
  const db = join(folder, `${size}.json`)
  const server = await startOurs(product, { db, scenario: writeScenario(folder) }, { services: size })
  await server.stop()
  return db
}

const list: Workload = { ...workloadNamed('one service'), name: 'list of services', path: '/api/services' }

/** Median milliseconds of a list of all services, with one connection. */
async function listCosts(
  load: LoadGenerator,
  servers: readonly ServerProcess[],
  quick: boolean,
): Promise<number[]> {
  const costs: number[] = []
  for (const server of servers) {
    await server.ask('trim')
    await load.run(server, { workload: list, connections: 1, requests: 20 })
    costs.push((await load.run(server, { workload: list, connections: 1, requests: quick ? 20 : 100 })).p50)
  }
  return costs
}

interface Pauses {
  /** Milliseconds: the longest that the event loop stood still under orders… */
  usual: number
  /** …and while the file was replaced */
  replacing: number
  /** Milliseconds that the replacement took */
  took: number
}

async function pausesOf(load: LoadGenerator, servers: readonly ServerProcess[]): Promise<Pauses[]> {
  const pauses: Pauses[] = []
  for (const server of servers) {
    await server.ask('trim')
    await server.ask('file replaced')
    const usual = await longestPause(load, server)
    await server.ask('outgrow the file')
    const began = performance.now()
    const watched = longestPause(load, server)
    const replacing = await watched
    await server.ask('file replaced')
    pauses.push({ usual, replacing, took: performance.now() - began })
  }
  return pauses
}

async function longestPause(load: LoadGenerator, server: ServerProcess): Promise<number> {
  await server.ask('watch pauses')
  await load.run(server, { workload: workloadNamed('order'), connections: 32, milliseconds: 2000 })
  return (await server.ask<{ longest: number }>('pauses')).longest
}

interface Results {
  many: Compared[]
  one: Compared[]
  reads: Compared[]
  lists: number[]
  pauses: Pauses[]
}

function report(bytes: readonly number[], { many, one, reads, lists, pauses }: Results): string {
  const share = (all: Compared[], i: number): string => {
    const { share: own, rate } = all[i] as Compared
    return i === 0 ? `1 = ${whole(rate)}/s` : ratio(own)
  }
  return [
    table(
      [
        'services',
        'file',
        'orders, 32 connections',
        'orders, one connection',
        'one service',
        'list of all',
        'longest pause under orders',
        'while the file is replaced',
      ],
      sizes.map((size, i) => [
        whole(size),
        megabytes(bytes[i] as number),
        share(many, i),
        share(one, i),
        share(reads, i),
        `${ms(lists[i] as number)} ms`,
        `${ms(pauses[i]?.usual ?? 0)} ms`,
        `${ms(pauses[i]?.replacing ?? 0)} ms`,
      ]),
    ),
    `A list of 1,000 services takes ${ms(lists[1] as number)} ms, ${(((lists[1] as number) / 1000) * 1000).toFixed(1)} µs a service.`,
  ].join('\n\n')
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' } } })
  process.stdout.write(`${await growth({ quick: values.quick ?? false })}\n`)
}

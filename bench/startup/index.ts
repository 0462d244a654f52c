// How long a start takes: from the start of the process to the first answer, against node that does nothing.
//   tsx bench/startup/index.ts [--quick]
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from '../lib/build.ts'
import { milliseconds as ms, ratio, table } from '../lib/format.ts'
import { isMain } from '../lib/isMain.ts'
import { startOurs } from '../lib/ours.ts'
import { writeScenario } from '../lib/scenario.ts'
import { serverCore } from '../lib/ServerProcess.ts'
import { median, spread } from '../lib/statistics.ts'
import { temporaryFolder } from '../lib/temporary.ts'
import { authorizationOf, login } from '../lib/Workload.ts'

/** Something that is started again and again; it gives milliseconds. */
type Start = () => Promise<number>

const nothing = 'node that does nothing'
const exec = '`proxysim exec -- true`'

/** Runs the benchmark. @returns Markdown */
export async function startup({ quick = false }: { quick?: boolean } = {}): Promise<string> {
  const product = build()
  const folder = temporaryFolder()
  const cli = join(product, 'dist/cli.js')
  const serve = [cli, '--port', '0', '--in-memory']
  const full = await filled(product, folder)
  const starts: Record<string, Start> = {
    [nothing]: () => ended(['-e', '0']),
    '`proxysim --help`': () => ended([cli, '--help']),
    [exec]: () => ended([cli, 'exec', '--', 'true']),
    'first 200 of `/__admin/health`': () => answered(serve, '/__admin/health'),
    'first 200 of `/api/clients`': () => answered(serve, '/api/clients'),
    'first 200 of `/api/clients`, 100,000 services in the file': () =>
      answered([cli, '--port', '0', '--db', full()], '/api/clients'),
    'second `startSimulator` in one process': () => second(product),
  }
  const times = new Map<string, number[]>(Object.keys(starts).map((name) => [name, []]))
  for (let i = 0; i < (quick ? 3 : 10); i++)
    for (const [name, start] of Object.entries(starts)) times.get(name)?.push(await start())
  return [
    table(
      ['', 'median', 'min', 'max'],
      [...times].map(([name, own]) => {
        const { median: middle, min, max } = spread(own)
        return [name, `${ms(middle)} ms`, `${ms(min)} ms`, `${ms(max)} ms`]
      }),
    ),
    execGoal(times.get(nothing) as number[], times.get(exec) as number[]),
  ].join('\n\n')
}

/** The goal is of the node of the same repetition. */
function execGoal(nothings: readonly number[], execs: readonly number[]): string {
  const goals = nothings.map((time) => 1.5 * time + 60)
  const share = spread(execs.map((time, i) => time / (goals[i] as number)))
  return `${exec} takes ${ratio(share)} of its goal, 1.5 × ${nothing} + 60 ms: ${ms(median(goals))} ms here.`
}

/** A file with many services. @returns makes another copy of it: a start may write to it */
async function filled(product: string, folder: string): Promise<() => string> {
  const db = join(folder, 'full.json')
  const server = await startOurs(product, { db, scenario: writeScenario(folder) }, { services: 100_000 })
  await server.stop()
  let copies = 0
  return () => {
    const copy = join(folder, `full-${++copies}.json`)
    cpSync(db, copy)
    return copy
  }
}

function node(args: readonly string[]): [string, string[]] {
  return ['taskset', ['-c', String(serverCore), process.execPath, ...args]]
}

async function ended(args: readonly string[]): Promise<number> {
  const began = performance.now()
  const [command, rest] = node(args)
  const child = spawn(command, rest, { stdio: 'ignore' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`)
  return performance.now() - began
}

/** Until a path answers 200; the address is what the program prints once it listens. */
async function answered(args: readonly string[], path: string): Promise<number> {
  const began = performance.now()
  const [command, rest] = node(args)
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const port = await portOf(child.stdout)
    await ok(port, path)
    return performance.now() - began
  } finally {
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    await exit
  }
}

async function portOf(output: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface(output)) {
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]
    if (port !== undefined) return Number(port)
  }
  throw new Error('it ended without naming its address')
}

function ok(port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ port, path, agent: false, headers: { authorization: authorizationOf(login) } }, (response) => {
      response.resume()
      if (response.statusCode === 200) resolve()
      else reject(new Error(`${path} answered ${response.statusCode}`))
    }).on('error', reject)
  })
}

async function second(product: string): Promise<number> {
  const script = fileURLToPath(new URL('second.mjs', import.meta.url))
  const [command, rest] = node([script, product])
  return Number(spawnSync(command, rest, { encoding: 'utf8' }).stdout)
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' } } })
  process.stdout.write(`${await startup({ quick: values.quick ?? false })}\n`)
}

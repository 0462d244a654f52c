import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { filledFile } from './growth.ts'
import type { Benchmark } from './lib/Benchmark.ts'
import { build } from './lib/build.ts'
import { milliseconds as ms, ratio, table } from './lib/format.ts'
import { startOurs } from './lib/ours.ts'
import { serverCore } from './lib/Server.ts'
import { median, spread } from './lib/statistics.ts'
import { temporaryFolder } from './lib/temporary.ts'
import { basicAuthorization, login } from './lib/Workload.ts'

const nothing = 'node that does nothing'
const exec = '`proxysim exec -- true`'

export const startup: Benchmark = {
  title: 'Start',
  description:
    'From the start of the process to the end of it, or to the first response. Node that does nothing is `node -e 0`.',
  async run({ quick }) {
    const product = build()
    const folder = temporaryFolder()
    const cli = join(product, 'dist/cli.js')
    const full = await filledFile(product, folder, 100_000)
    /** Something that is started again and again; each gives milliseconds. */
    const starts: Record<string, () => Promise<number>> = {
      [nothing]: () => untilEnd(['-e', '0']),
      '`proxysim --help`': () => untilEnd([cli, '--help']),
      [exec]: () => untilEnd([cli, 'exec', '--', 'true']),
      'first 200 of `/__admin/health`': () => untilResponse(product, ['--in-memory'], '/__admin/health'),
      'first 200 of `/api/clients`': () => untilResponse(product, ['--in-memory'], '/api/clients'),
      'first 200 of `/api/clients`, 100,000 services in the file'() {
        const db = join(folder, 'copy.json') // a start may write to it
        cpSync(full, db)
        return untilResponse(product, ['--db', db], '/api/clients')
      },
    }
    const times = new Map<string, number[]>(Object.keys(starts).map((name) => [name, []]))
    for (let i = 0; i < (quick ? 3 : 10); i++)
      for (const [name, start] of Object.entries(starts)) times.get(name)?.push(await start())
    const rows = [...times].map(([name, own]) => {
      const { median: middle, min, max } = spread(own)
      return [name, `${ms(middle)} ms`, `${ms(min)} ms`, `${ms(max)} ms`]
    })
    const goals = (times.get(nothing) as number[]).map((time) => 1.5 * time + 60)
    const share = spread((times.get(exec) as number[]).map((time, i) => time / (goals[i] as number)))
    return [
      table(['', 'median', 'min', 'max'], rows),
      `${exec} takes ${ratio(share)} of its goal, 1.5 × ${nothing} + 60 ms: ${ms(median(goals))} ms here.`,
    ].join('\n\n')
  },
}

async function untilEnd(args: readonly string[]): Promise<number> {
  const began = performance.now()
  const child = spawn('taskset', ['-c', String(serverCore), process.execPath, ...args], { stdio: 'ignore' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`)
  return performance.now() - began
}

async function untilResponse(product: string, flags: readonly string[], path: string): Promise<number> {
  const began = performance.now()
  const server = await startOurs(product, flags)
  const response = await fetch(server.url + path, { headers: { authorization: basicAuthorization(login) } })
  await response.arrayBuffer()
  const took = performance.now() - began
  await server.stop()
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return took
}

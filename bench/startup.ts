import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { createFilledFile } from './growth.ts'
import type { Benchmark } from './lib/Benchmark.ts'
import { buildProduct } from './lib/build.ts'
import { formatMilliseconds as ms, formatRatio, renderTable } from './lib/format.ts'
import { startProduct } from './lib/ours.ts'
import { serverCore } from './lib/Server.ts'
import { median, computeSpread } from './lib/statistics.ts'
import { createTemporaryFolder } from './lib/temporary.ts'
import { basicAuthorization, login } from './lib/Workload.ts'

const idleNode = '`node -e 0`'
const exec = '`proxysim exec -- true`'

export const startup: Benchmark = {
  title: 'Start',
  description: 'From the start of the process to its exit, or to its first response.',
  async run({ quick }) {
    const product = buildProduct()
    const folder = createTemporaryFolder()
    const cli = join(product, 'dist/cli.js')
    const filledFile = await createFilledFile(product, folder, 100_000)
    /** Each function starts a process, and returns the measured milliseconds. */
    const starts: Record<string, () => Promise<number>> = {
      [idleNode]: () => measureExit(['-e', '0']),
      '`proxysim --help`': () => measureExit([cli, '--help']),
      [exec]: () => measureExit([cli, 'exec', '--', 'true']),
      'first 200 of `/__admin/health`': () => measureResponse(product, ['--in-memory'], '/__admin/health'),
      'first 200 of `/api/clients`': () => measureResponse(product, ['--in-memory'], '/api/clients'),
      'first 200 of `/api/clients`, 100,000 services in the file'() {
        const db = join(folder, 'copy.json') // a start may write to it
        cpSync(filledFile, db)
        return measureResponse(product, ['--db', db], '/api/clients')
      },
    }
    const times = new Map<string, number[]>(Object.keys(starts).map((name) => [name, []]))
    for (let i = 0; i < (quick ? 3 : 10); i++)
      for (const [name, start] of Object.entries(starts)) times.get(name)?.push(await start())
    const rows = [...times].map(([name, own]) => {
      const { median: middle, min, max } = computeSpread(own)
      return [name, `${ms(middle)} ms`, `${ms(min)} ms`, `${ms(max)} ms`]
    })
    const goals = (times.get(idleNode) as number[]).map((time) => 1.5 * time + 60)
    const share = computeSpread((times.get(exec) as number[]).map((time, i) => time / (goals[i] as number)))
    return [
      renderTable(['', 'median', 'min', 'max'], rows),
      `${exec} takes ${formatRatio(share)} of its goal, 1.5 × ${idleNode} + 60 ms: ${ms(median(goals))} ms here.`,
    ].join('\n\n')
  },
}

async function measureExit(args: readonly string[]): Promise<number> {
  const began = performance.now()
  const child = spawn('taskset', ['-c', String(serverCore), process.execPath, ...args], { stdio: 'ignore' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${String(code)}`)
  return performance.now() - began
}

async function measureResponse(product: string, flags: readonly string[], path: string): Promise<number> {
  const began = performance.now()
  const server = await startProduct(product, flags)
  const response = await fetch(server.url + path, { headers: { authorization: basicAuthorization(login) } })
  await response.arrayBuffer()
  const duration = performance.now() - began
  await server.stop()
  if (response.status !== 200) throw new Error(`${path} returned ${response.status}`)
  return duration
}

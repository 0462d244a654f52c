// What a run of a sweep takes besides the command itself: a simulator starts, watches, and ends.
//   tsx bench/sweep/index.ts [--quick]
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeFileSync } from 'node:fs'
import type { SweepReport } from '../../src/runs/SweepRun.ts'
import { build } from '../lib/build.ts'
import { milliseconds as ms, table } from '../lib/format.ts'
import { isMain } from '../lib/isMain.ts'
import { serverCore } from '../lib/ServerProcess.ts'
import { spread } from '../lib/statistics.ts'
import { temporaryFolder } from '../lib/temporary.ts'

/** Calls an operation, and does not mind what it gets. */
const client = `
import { request } from 'node:http'
const { PROXYSIM_URL, PROXYSIM_LOGIN, PROXYSIM_PASSWORD } = process.env
const auth = PROXYSIM_LOGIN + ':' + PROXYSIM_PASSWORD
request(PROXYSIM_URL + '/api/clients', { auth }, (response) => response.resume()).on('error', () => {}).end()
`

/** Runs the benchmark. @returns Markdown */
export async function sweeping({ quick = false }: { quick?: boolean } = {}): Promise<string> {
  const file = join(temporaryFolder(), 'client.mjs')
  writeFileSync(file, client)
  const runs = Array.from({ length: quick ? 1 : 4 }, () => sweep(file)).flat()
  const parts: [string, number[]][] = [
    ['the command: `node`, one request', runs.map(({ durationMs }) => durationMs)],
    ['the run besides', runs.map(({ overheadMs }) => overheadMs)],
  ]
  return table(
    [`${runs.length} runs, one at a time`, 'median', 'min', 'max'],
    parts.map(([name, own]) => {
      const { median, min, max } = spread(own)
      return [name, `${ms(median)} ms`, `${ms(min)} ms`, `${ms(max)} ms`]
    }),
  )
}

function sweep(file: string): SweepReport['runs'] {
  const cli = join(build(), 'dist/cli.js')
  const args = [cli, 'sweep', '--jobs', '1', '--json', '--', process.execPath, file]
  const { stdout, stderr } = spawnSync('taskset', ['-c', String(serverCore), process.execPath, ...args], {
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(`The sweep failed: ${stderr}`)
  return (JSON.parse(stdout) as SweepReport).runs
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' } } })
  process.stdout.write(`${await sweeping({ quick: values.quick ?? false })}\n`)
}

// What a test pays for a world of its own: an account made, an order, a read, the account deleted, with `fetch`, the
// simulator in the same process.
//   tsx bench/tests/index.ts [--quick]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from '../lib/build.ts'
import { milliseconds as ms, table } from '../lib/format.ts'
import { isMain } from '../lib/isMain.ts'
import { quantile } from '../lib/statistics.ts'
import { temporaryFolder } from '../lib/temporary.ts'

/** Runs the benchmark. @returns Markdown */
export async function testing({ quick = false }: { quick?: boolean } = {}): Promise<string> {
  const product = build()
  const folder = temporaryFolder()
  const ways = [
    { name: 'in memory', options: {}, body: '{}' },
    { name: 'kept in a file', options: { db: join(folder, 'db.json') }, body: '{}' },
    { name: 'of another scenario', options: {}, body: '{"scenario":"other-readings"}' },
  ]
  const rows: string[][] = []
  for (const { name, options, body } of ways) {
    const tests = await run(product, options, body, quick ? 300 : 2000)
    const steps = [0, 1, 2, 3].map((k) => tests.map((test) => test[k] as number))
    const whole = tests.map((test) => test.reduce((sum, step) => sum + step, 0))
    rows.push([
      name,
      ...[...steps, whole].map((times) => ms(quantile(times, 0.5))),
      ms(quantile(whole, 0.95)),
    ])
    process.stderr.write('.')
  }
  process.stderr.write('\n')
  return table(['milliseconds', 'account made', 'order', 'list read', 'deleted', 'a test', 'p95'], rows)
}

/** @returns milliseconds of each step of each test; the first third warmed up */
async function run(product: string, options: object, body: string, count: number): Promise<number[][]> {
  const script = fileURLToPath(new URL('oneTest.mjs', import.meta.url))
  const child = fork(script, {
    execArgv: [], // without tsx, as users have it
    env: {
      ...process.env,
      BENCH_PRODUCT: product,
      BENCH_OPTIONS: JSON.stringify({ scenario: 'default', ...options }),
      BENCH_BODY: body,
      BENCH_TESTS: String(count),
    },
  })
  const [tests] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the tests ended with ${String(code)}`)
    }),
  ])) as [number[][]]
  return tests.slice(Math.floor(count / 3))
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' } } })
  process.stdout.write(`${await testing({ quick: values.quick ?? false })}\n`)
}

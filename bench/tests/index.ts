// What a test pays for a world of its own: an account made, an order, a read, the account deleted, with `fetch`; the
// simulator in the same process, and beside others in a process of their own.
//   tsx bench/tests/index.ts [--quick]
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from '../lib/build.ts'
import { captureAnswers, type CapturedAnswer } from '../lib/captureAnswers.ts'
import { milliseconds as ms, table } from '../lib/format.ts'
import { isMain } from '../lib/isMain.ts'
import { startOurs } from '../lib/ours.ts'
import { processTime } from '../lib/processTime.ts'
import { writeScenario } from '../lib/scenario.ts'
import { loadCore, type ServerProcess } from '../lib/ServerProcess.ts'
import { quantile } from '../lib/statistics.ts'
import { temporaryFolder } from '../lib/temporary.ts'
import { contractWithAnswers } from '../peers/contractWithAnswers.ts'
import { install } from '../peers/install.ts'
import type { Peer } from '../peers/Peer.ts'
import { jsonServer, wiremock } from '../peers/peers.ts'
import { firstError, startPeer } from '../peers/startPeer.ts'

/** Tests in a process of their own, that run when they are asked to. */
interface Entry {
  name: string
  child: ChildProcess
  /** Where the tests don't hold it themselves */
  server?: ServerProcess
  /** Milliseconds of each step, test by test */
  tests: number[][]
  /** Seconds of processor time of all tests, the server's and their own */
  cpu: number
}

/** Runs the benchmark. @returns Markdown */
export async function testing({ quick = false }: { quick?: boolean } = {}): Promise<string> {
  const entries: Entry[] = []
  const servers: ServerProcess[] = []
  try {
    const failures = await start(entries, servers)
    await takeTurns(
      entries,
      quick ? { warmUp: 100, turns: 3, count: 70 } : { warmUp: 700, turns: 5, count: 260 },
    )
    return report(entries, failures)
  } finally {
    for (const { child } of entries) if (child.connected) child.disconnect()
    for (const server of servers) await server.stop()
  }
}

/**
 * @param entries filled with what runs
 * @param servers filled with what is to be stopped
 * @returns what could not be started, and why
 */
async function start(entries: Entry[], servers: ServerProcess[]): Promise<Map<string, string>> {
  const product = build()
  const folder = temporaryFolder()
  const file = (name: string): { db: string } => ({ db: join(folder, `${name}.json`) })
  entries.push(await entered('`fetch` and bare `node:http`', [], { BENCH_KIND: 'bare' }))
  const inside = [
    { name: 'in memory', options: {}, body: '{}' },
    { name: 'kept in a file', options: file('inside'), body: '{}' },
    { name: 'of another scenario', options: {}, body: '{"scenario":"other-readings"}' },
  ]
  for (const { name, options, body } of inside)
    entries.push(
      await entered(name, [], {
        BENCH_PRODUCT: product,
        BENCH_OPTIONS: JSON.stringify({ scenario: 'default', ...options }),
        BENCH_BODY: body,
      }),
    )

  const beside = async (
    name: string,
    server: ServerProcess,
    env: Record<string, string> = {},
  ): Promise<void> => {
    const prefix = ['taskset', '-c', String(loadCore)]
    entries.push({ ...(await entered(name, prefix, { BENCH_URL: server.url, ...env })), server })
  }
  const outside = [
    { name: 'another process, in memory', options: {} },
    { name: 'another process, kept in a file', options: file('outside') },
  ]
  let answers = ''
  for (const { name, options } of outside) {
    const server = await startOurs(product, { scenario: 'default', ...options })
    servers.push(server)
    answers ||= await oneTest(server.url)
    await beside(name, server)
  }

  const failures = new Map<string, string>()
  const startOther = await starter(product, folder)
  for (const { peer, kinds } of others)
    try {
      const server = await startOther(peer)
      servers.push(server)
      for (const kind of kinds)
        await beside(`${peer.name}, ${kind}`, server, { BENCH_KIND: kind, BENCH_ANSWERS: answers })
    } catch (error) {
      failures.set(peer.name, firstError((error as Error).message))
    }
  return failures
}

/** Each runs some tests, then the next, so that whatever else the machine does meets all of them. */
async function takeTurns(
  entries: readonly Entry[],
  { warmUp, turns, count }: { warmUp: number; turns: number; count: number },
): Promise<void> {
  for (const { child } of entries) await ask(child, warmUp)
  for (let turn = 0; turn < turns; turn++) {
    for (const entry of entries) {
      const before = cpuOf(entry)
      entry.tests.push(...(await ask(entry.child, count)))
      entry.cpu += cpuOf(entry) - before
    }
    process.stderr.write('.')
  }
  process.stderr.write('\n')
}

function cpuOf({ child, server }: Entry): number {
  return processTime(child.pid as number) + (server?.cpuSeconds ?? 0)
}

function report(entries: readonly Entry[], failures: ReadonlyMap<string, string>): string {
  return [
    table(head, [
      ...entries.map((entry) => [entry.name, ...cellsOf(entry)]),
      ...[...failures.keys()].map((name) => [name, ...head.slice(1).map(() => 'n/a')]),
    ]),
    others
      .map(
        ({ peer: { name, packages }, note }) =>
          `- ${[name, ...packages.map((one) => `\`${one}\``)].join(' ')}: ${note}.`,
      )
      .join('\n'),
    ...(failures.size > 0
      ? [`Not measured: ${[...failures].map(([name, why]) => `${name}: ${why}`).join('; ')}.`]
      : []),
  ].join('\n\n')
}

const head = [
  'milliseconds',
  'account made',
  'order',
  'list read',
  'deleted',
  'a test',
  'p95',
  'processor time',
]

/** What comes nearest to a test of ours. */
const others: readonly { peer: Peer; kinds: readonly string[]; note: string }[] = [
  {
    peer: wiremock,
    kinds: ['stubs imported, reset', 'stubs made and deleted'],
    note: 'for an account, the two stubs that the test needs, with our answers: imported at once, and all stubs reset, so that one test runs at a time; or made and deleted one by one, so that several may. Stubs by hand, no contract, no state; without its journal',
  },
  {
    peer: {
      ...jsonServer,
      command(setting) {
        const command = jsonServer.command(setting)
        const empty = { products: [], accounts: [], services: [] }
        writeFileSync(join(setting.folder, 'db.json'), JSON.stringify(empty))
        return command
      },
    },
    kinds: ['records made and deleted'],
    note: 'for an account, a record, deleted with those that depend on it; the order is a record that is added. Over HTTP: on its fastest setting it does not see that its file was put back. No contract, no credentials',
  },
]

/** Installs and starts peers. */
async function starter(product: string, folder: string): Promise<(peer: Peer) => Promise<ServerProcess>> {
  const file = await captureAnswers(product, writeScenario(folder), folder)
  const answers = JSON.parse(readFileSync(file, 'utf8')) as Record<string, CapturedAnswer>
  const contract = await contractWithAnswers(answers, folder)
  return async (peer) =>
    (await startPeer(peer, install(peer.name, peer.packages), { folder, contract, answers })).server
}

/** @returns JSON of what ours answers to a test's order and read, for those that are told what to answer */
async function oneTest(url: string): Promise<string> {
  const send = async (method: string, path: string, authorization = '', body?: string): Promise<unknown> => {
    const headers = { accept: 'application/json', 'content-type': 'application/json', authorization }
    return await (await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })).json()
  }
  const { authorization } = (await send('POST', '/__admin/accounts', '', '{}')) as { authorization: string }
  const order = await send('POST', '/api/product/302', authorization, '{"clientid":11}')
  return JSON.stringify({ order, list: await send('GET', '/api/services', authorization) })
}

/** Medians of each step and of whole tests, what 95 % of the tests stay below, and the mean of processor time. */
function cellsOf({ tests, cpu }: Entry): string[] {
  const steps = [0, 1, 2, 3].map((k) => tests.map((test) => test[k] as number))
  const whole = tests.map((test) => test.reduce((sum, step) => sum + step, 0))
  return [
    ...[...steps, whole].map((times) => ms(quantile(times, 0.5))),
    ms(quantile(whole, 0.95)),
    ms((cpu / tests.length) * 1000),
  ]
}

async function entered(name: string, prefix: readonly string[], env: Record<string, string>): Promise<Entry> {
  const script = fileURLToPath(new URL('oneTest.mjs', import.meta.url))
  const words = [...prefix, process.execPath, script] // without tsx, as users have it
  const child = spawn(words[0] as string, words.slice(1), {
    stdio: ['ignore', 2, 2, 'ipc'],
    env: { ...process.env, ...env },
  })
  await next(child)
  return { name, child, tests: [], cpu: 0 }
}

async function ask(child: ChildProcess, count: number): Promise<number[][]> {
  const answer = next(child)
  child.send(count)
  return (await answer) as number[][]
}

/** @throws when it ends instead */
async function next(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController()
  try {
    const [message] = (await Promise.race([
      once(child, 'message', { signal: ended.signal }),
      once(child, 'exit', { signal: ended.signal }).then(([code]) => {
        throw new Error(`the tests ended with ${String(code)}`)
      }),
    ])) as [unknown]
    return message
  } finally {
    ended.abort()
  }
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' } } })
  process.stdout.write(`${await testing({ quick: values.quick ?? false })}\n`)
}

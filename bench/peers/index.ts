// What else people take for this, each on its best settings, beside ours and bare node:http in the same run.
//   tsx bench/peers/index.ts [--quick] [--only prism]
import { mkdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from '../lib/build.ts'
import { captureAnswers, type CapturedAnswer } from '../lib/captureAnswers.ts'
import { compare, type Compared } from '../lib/compare.ts'
import { megabytes, milliseconds as ms, ratio, table, whole } from '../lib/format.ts'
import { isMain } from '../lib/isMain.ts'
import { LoadGenerator } from '../lib/LoadGenerator.ts'
import { writeScenario } from '../lib/scenario.ts'
import { ServerProcess } from '../lib/ServerProcess.ts'
import { temporaryFolder } from '../lib/temporary.ts'
import { workloads, type Workload } from '../lib/Workload.ts'
import { contractWithAnswers } from './contractWithAnswers.ts'
import { install, installProduct, type Installed } from './install.ts'
import type { Peer } from './Peer.ts'
import { peers } from './peers.ts'

/** A peer that runs, with what was seen of it. */
interface Entrant {
  peer: Peer
  server: ServerProcess
  installed: Installed
  /** Milliseconds from the start of the process to the first right answer */
  firstAnswer: number
}

/** Runs the benchmark. @returns Markdown */
export async function comparePeers({
  quick = false,
  only = '',
}: {
  quick?: boolean
  only?: string
} = {}): Promise<string> {
  const product = build()
  const folder = temporaryFolder()
  const scenario = writeScenario(folder)
  const file = await captureAnswers(product, scenario, folder)
  const answers = JSON.parse(readFileSync(file, 'utf8')) as Record<string, CapturedAnswer>
  const contract = await contractWithAnswers(answers, folder)
  const bare = await ServerProcess.ofScript(
    'bare node:http',
    fileURLToPath(new URL('../floor/servers/bareNode.mjs', import.meta.url)),
    { env: { BENCH_ANSWERS: file } },
  )
  const load = new LoadGenerator()
  const entrants: Entrant[] = []
  const failures: string[] = []
  try {
    for (const peer of [ours(scenario), ...peers.filter(({ name }) => name.toLowerCase().startsWith(only))]) {
      try {
        const installed =
          peer.packages.length > 0 ? install(peer.name, peer.packages) : installProduct(product)
        entrants.push(await started(peer, installed, { folder, contract, answers }))
      } catch (error) {
        failures.push(`${peer.name}: ${firstError((error as Error).message)}`)
      }
      process.stderr.write('.')
    }
    const results = await measure(load, bare, entrants, quick)
    process.stderr.write('\n')
    return report(entrants, results, failures)
  } finally {
    for (const { server } of entrants) await server.stop()
    await bare.stop()
    load.stop()
  }
}

/** The line of a message that says most. */
function firstError(message: string): string {
  const lines = message.split('\n')
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? (lines[0] as string)
}

/** Ours as a user starts it, with a file. */
function ours(scenario: string): Peer {
  return {
    name: 'ours',
    packages: [],
    command: ({ installed, folder, port }) => [
      process.execPath,
      join(installed, 'node_modules/.bin/proxysim'),
      '--port',
      String(port),
      '--scenario',
      scenario,
      '--db',
      join(folder, 'db.json'),
    ],
    adapt: (workload) => workload,
    note: 'checks credentials, requests and answers against the contract; keeps state, in a file; journal on',
  }
}

async function started(
  peer: Peer,
  installed: Installed,
  {
    folder,
    contract,
    answers,
  }: { folder: string; contract: string; answers: Record<string, CapturedAnswer> },
): Promise<Entrant> {
  const own = join(folder, peer.name)
  mkdirSync(own)
  const port = await freePort()
  const secondPort = await freePort()
  const setting = { installed: installed.folder, folder: own, port, secondPort, contract, answers }
  const command = peer.command(setting)
  const began = performance.now()
  const server = new ServerProcess({ name: peer.name, command, cwd: own, ipc: false })
  server.url = `http://127.0.0.1:${port}`
  try {
    const [first] = workloads.flatMap((workload) => peer.adapt(workload) ?? [])
    await answersRight(server, first as Workload)
    return { peer, server, installed, firstAnswer: performance.now() - began }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const drainLimit = 60_000

/** Asks until the answer is the right one. */
async function answersRight(
  server: ServerProcess,
  { method, path, headers, status }: Workload,
): Promise<void> {
  const until = performance.now() + drainLimit
  for (;;) {
    const got = await new Promise<number | undefined>((resolve) => {
      request(`${server.url}${path}`, { method, headers, agent: false }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', () => resolve(undefined))
        .end()
    })
    if (got === status) return
    if (server.child.exitCode !== null)
      throw new Error(`it ended with ${server.child.exitCode}: ${server.errors}`)
    if (performance.now() > until) throw new Error(`it answers ${got ?? 'nothing'} to ${method} ${path}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

async function measure(
  load: LoadGenerator,
  bare: ServerProcess,
  entrants: readonly Entrant[],
  quick: boolean,
): Promise<[string, Compared[]][]> {
  const results: [string, Compared[]][] = []
  for (const workload of workloads) {
    const compared = await compare(load, [bare, ...entrants.map(({ server }) => server)], {
      workloadOf: (i) => (i === 0 ? workload : entrants[i - 1]?.peer.adapt(workload)),
      connections: 32,
      milliseconds: quick ? 400 : 800,
      warmUp: quick ? 500 : 1500,
      repetitions: quick ? 2 : 5,
    })
    results.push([workload.name, compared])
    process.stderr.write('.')
  }
  return results
}

function report(
  entrants: readonly Entrant[],
  results: readonly [string, Compared[]][],
  failures: readonly string[],
): string {
  const names = entrants.map(({ peer }) => peer.name)
  const cell = (compared: readonly Compared[], name: string, show: (one: Compared) => string): string => {
    const found = compared.find((one) => one.name === name)
    return found ? show(found) : 'n/a'
  }
  const titles = results.map(([title]) => title)
  const bare = results.map(([, compared]) =>
    cell(compared, 'bare node:http', ({ rate }) => `1 = ${whole(rate)}/s`),
  )
  const bareTimes = results.map(([, compared]) => cell(compared, 'bare node:http', ({ p99 }) => ms(p99)))
  return [
    '**32 connections: requests per second, as shares of bare node:http in the same repetition**',
    table(
      ['', ...titles],
      [
        ['bare node:http', ...bare],
        ...names.map((name) => [
          name,
          ...results.map(([, compared]) => cell(compared, name, ({ share }) => ratio(share))),
        ]),
      ],
    ),
    '**p99 in milliseconds**',
    table(
      ['', ...titles],
      [
        ['bare node:http', ...bareTimes],
        ...names.map((name) => [
          name,
          ...results.map(([, compared]) => cell(compared, name, ({ p99 }) => ms(p99))),
        ]),
      ],
    ),
    '**Weight**',
    table(
      ['', 'start to first answer', 'memory after load', 'packages', 'installed'],
      entrants.map(({ peer, server, installed, firstAnswer }) => [
        peer.name,
        `${ms(firstAnswer)} ms`,
        megabytes(server.memory),
        whole(installed.packages),
        megabytes(installed.bytes),
      ]),
    ),
    entrants
      .map(
        ({ peer: { name, packages, note } }) =>
          `- ${[name, ...packages.map((one) => `\`${one}\``)].join(' ')}: ${note}.`,
      )
      .join('\n'),
    ...(failures.length > 0 ? [`Not measured: ${failures.join('; ')}.`] : []),
  ].join('\n\n')
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } })
  process.stdout.write(`${await comparePeers({ quick: values.quick ?? false, only: values.only ?? '' })}\n`)
}

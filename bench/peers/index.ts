// What else people take for this, each on its best settings, beside ours and bare node:http in the same run.
//   tsx bench/peers/index.ts [--quick] [--only prism]
import { readFileSync } from 'node:fs'
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
import { workloads } from '../lib/Workload.ts'
import { contractWithAnswers } from './contractWithAnswers.ts'
import { install, installProduct } from './install.ts'
import type { Peer } from './Peer.ts'
import { peers } from './peers.ts'
import { firstError, startPeer, type Entrant } from './startPeer.ts'

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
        entrants.push(await startPeer(peer, installed, { folder, contract, answers }))
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

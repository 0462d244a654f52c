import { join } from 'node:path'
import type { Benchmark } from '../lib/Benchmark.ts'
import { buildProduct } from '../lib/build.ts'
import { captureResponses } from '../lib/captureResponses.ts'
import { compare, type Compared } from '../lib/compare.ts'
import {
  formatMegabytes,
  formatMilliseconds as ms,
  formatRatio,
  renderTable,
  formatInteger,
} from '../lib/format.ts'
import { LoadGenerator } from '../lib/LoadGenerator.ts'
import { writeScenario } from '../lib/scenario.ts'
import { getScriptCommand, Server } from '../lib/Server.ts'
import { createTemporaryFolder } from '../lib/temporary.ts'
import { workloads } from '../lib/Workload.ts'
import { writeContract } from './contractWithResponses.ts'
import { install, installProduct } from './install.ts'
import { tools, type Peer } from './peers.ts'
import { findFirstError, startPeer, type Entrant } from './startPeer.ts'

export const peers: Benchmark = {
  title: 'Peers',
  description:
    'Other tools for the same purpose, each with its fastest settings and, as far as possible, our responses; and bare `node:http` in the same run.',
  async run({ quick, only }) {
    const product = buildProduct()
    const folder = createTemporaryFolder()
    const scenario = writeScenario(folder)
    const { file, responses } = await captureResponses(product, scenario, folder)
    const contract = await writeContract(responses, folder)
    const bare = await Server.start({
      name: 'bare node:http',
      command: getScriptCommand('bareNode'),
      env: { BENCH_RESPONSES: file },
    })
    const load = new LoadGenerator()
    const entrants: Entrant[] = []
    const failures: string[] = []
    try {
      for (const peer of [
        createOurs(scenario),
        ...tools.filter(({ name }) => name.toLowerCase().startsWith(only)),
      ])
        try {
          const installed =
            peer.packages.length > 0 ? install(peer.name, peer.packages) : installProduct(product)
          entrants.push(await startPeer(peer, installed, { folder, contract, responses }))
        } catch (error) {
          failures.push(`${peer.name}: ${findFirstError((error as Error).message)}`)
        }
      return report(entrants, await measure(load, bare, entrants, quick), failures)
    } finally {
      for (const { server } of entrants) await server.stop()
      await bare.stop()
      load.stop()
    }
  },
}

/** Starts proxysim as a user would, with a state file. */
function createOurs(scenario: string): Peer {
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
    note: 'checks credentials, requests and responses against the contract; state in a file; journal on',
  }
}

async function measure(
  load: LoadGenerator,
  bare: Server,
  entrants: readonly Entrant[],
  quick: boolean,
): Promise<[string, Compared[]][]> {
  const results: [string, Compared[]][] = []
  for (const workload of workloads) {
    const compared = await compare(load, [bare, ...entrants.map(({ server }) => server)], {
      getWorkload: (i) => (i === 0 ? workload : entrants[i - 1]?.peer.adapt(workload)),
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
  const names = ['bare node:http', ...entrants.map(({ peer }) => peer.name)]
  const rows = (cell: (one: Compared) => string): string[][] =>
    names.map((name) => [
      name,
      ...results.map(([, compared]) => {
        const found = compared.find((one) => one.name === name)
        return found ? cell(found) : 'n/a'
      }),
    ])
  const head = ['', ...results.map(([title]) => title)]
  return [
    '**32 connections: requests per second, as shares of bare node:http in the same repetition**',
    renderTable(
      head,
      rows(({ name, rate, share }) =>
        name === names[0] ? `1 = ${formatInteger(rate)}/s` : formatRatio(share),
      ),
    ),
    '**p99 in milliseconds**',
    renderTable(
      head,
      rows(({ p99 }) => ms(p99)),
    ),
    '**Weight**',
    renderTable(
      ['', 'start to first response', 'memory after load', 'packages', 'installed'],
      entrants.map(({ peer, server, installed, firstResponse }) => [
        peer.name,
        `${ms(firstResponse)} ms`,
        formatMegabytes(server.memory),
        formatInteger(installed.packages),
        formatMegabytes(installed.bytes),
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

import { join } from 'node:path'
import type { Benchmark } from '../lib/Benchmark.ts'
import { build } from '../lib/build.ts'
import { captureResponses } from '../lib/captureResponses.ts'
import { compare, type Compared } from '../lib/compare.ts'
import { megabytes, milliseconds as ms, ratio, table, whole } from '../lib/format.ts'
import { LoadGenerator } from '../lib/LoadGenerator.ts'
import { writeScenario } from '../lib/scenario.ts'
import { script, Server } from '../lib/Server.ts'
import { temporaryFolder } from '../lib/temporary.ts'
import { workloads } from '../lib/Workload.ts'
import { contractWithResponses } from './contractWithResponses.ts'
import { install, installProduct } from './install.ts'
import { tools, type Peer } from './peers.ts'
import { firstError, startPeer, type Entrant } from './startPeer.ts'

export const peers: Benchmark = {
  title: 'Peers',
  description:
    'What else people take for this, each on its best settings, giving our responses as far as it can; bare `node:http` in the same run.',
  async run({ quick, only }) {
    const product = build()
    const folder = temporaryFolder()
    const scenario = writeScenario(folder)
    const { file, responses } = await captureResponses(product, scenario, folder)
    const contract = await contractWithResponses(responses, folder)
    const bare = await Server.start({
      name: 'bare node:http',
      command: script('bareNode'),
      env: { BENCH_RESPONSES: file },
    })
    const load = new LoadGenerator()
    const entrants: Entrant[] = []
    const failures: string[] = []
    try {
      for (const peer of [ours(scenario), ...tools.filter(({ name }) => name.toLowerCase().startsWith(only))])
        try {
          const installed =
            peer.packages.length > 0 ? install(peer.name, peer.packages) : installProduct(product)
          entrants.push(await startPeer(peer, installed, { folder, contract, responses }))
        } catch (error) {
          failures.push(`${peer.name}: ${firstError((error as Error).message)}`)
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
    table(
      head,
      rows(({ name, rate, share }) => (name === names[0] ? `1 = ${whole(rate)}/s` : ratio(share))),
    ),
    '**p99 in milliseconds**',
    table(
      head,
      rows(({ p99 }) => ms(p99)),
    ),
    '**Weight**',
    table(
      ['', 'start to first response', 'memory after load', 'packages', 'installed'],
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

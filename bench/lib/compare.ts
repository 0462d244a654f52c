import type { LoadGenerator, Sample } from './LoadGenerator.ts'
import type { ServerProcess } from './ServerProcess.ts'
import { median, spread, type Spread } from './statistics.ts'
import type { Workload } from './Workload.ts'

export interface Comparison {
  workload: Workload
  connections: number
  /** Milliseconds of each measurement */
  milliseconds: number
  /** Milliseconds that each server is warmed up for */
  warmUp: number
  repetitions: number
  /** What each server is asked before each measurement */
  before?: string
}

export interface Compared {
  name: string
  /** Rate as a share of the first server's in the same repetition */
  share: Spread
  /** Requests a second */
  rate: number
  /** Milliseconds */
  p50: number
  p99: number
  /** Microseconds of processor time a request */
  cpu: number
  samples: Sample[]
}

/**
 * Measures servers in turn, again and again, each time in another order, so that whatever else the machine does
 * meets all of them.
 */
export async function compare(
  load: LoadGenerator,
  servers: readonly ServerProcess[],
  { workload, connections, milliseconds, warmUp, repetitions, before }: Comparison,
): Promise<Compared[]> {
  const samples = new Map<ServerProcess, Sample[]>(servers.map((server) => [server, []]))
  for (const server of servers) await load.run(server, { workload, connections, milliseconds: warmUp })
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const turn = repetition % servers.length
    for (const server of [...servers.slice(turn), ...servers.slice(0, turn)]) {
      if (before !== undefined) await server.ask(before)
      samples.get(server)?.push(await load.run(server, { workload, connections, milliseconds }))
    }
  }
  const [first] = [...samples.values()] as [Sample[]]
  return [...samples].map(([server, own]) => ({
    name: server.name,
    share: spread(own.map(({ rate }, i) => rate / (first[i] as Sample).rate)),
    rate: median(own.map(({ rate }) => rate)),
    p50: median(own.map(({ p50 }) => p50)),
    p99: median(own.map(({ p99 }) => p99)),
    cpu: median(own.map(({ cpu }) => cpu)),
    samples: own,
  }))
}

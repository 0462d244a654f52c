import { ratio, whole } from './format.ts'
import type { LoadGenerator, Sample } from './LoadGenerator.ts'
import type { Server } from './Server.ts'
import { median, spread, type Spread } from './statistics.ts'
import type { Workload } from './Workload.ts'

export interface Comparison {
  /** The request to the server with that index; undefined if the server has no equivalent */
  getWorkload: (server: number) => Workload | undefined
  connections: number
  /** Milliseconds of each measurement */
  milliseconds: number
  /** Milliseconds that each server is warmed up for */
  warmUp: number
  repetitions: number
  /** Called before each measurement of a server */
  before?: (server: Server) => Promise<unknown>
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
  /** The longest of all repetitions */
  longest: number
  /** Microseconds of processor time a request */
  cpu: number
}

/**
 * Measures servers in turn, repeatedly and each time in another order, so that other load on the machine affects all of
 * them alike. Shares are of the first server.
 */
export async function compare(
  load: LoadGenerator,
  servers: readonly Server[],
  { getWorkload, connections, milliseconds, warmUp, repetitions, before }: Comparison,
): Promise<Compared[]> {
  const all = servers.flatMap((server, i) => {
    const workload = getWorkload(i)
    return workload ? [{ server, workload, samples: [] as Sample[] }] : []
  })
  for (const { server, workload } of all)
    await load.run(server, { workload, connections, milliseconds: warmUp })
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const turn = repetition % all.length
    for (const { server, workload, samples } of [...all.slice(turn), ...all.slice(0, turn)]) {
      await before?.(server)
      samples.push(await load.run(server, { workload, connections, milliseconds }))
    }
  }
  const [first] = all as [(typeof all)[0]]
  return all.map(({ server, samples }) => ({
    name: server.name,
    share: spread(samples.map(({ rate }, i) => rate / (first.samples[i] as Sample).rate)),
    rate: median(samples.map(({ rate }) => rate)),
    p50: median(samples.map(({ p50 }) => p50)),
    p99: median(samples.map(({ p99 }) => p99)),
    longest: Math.max(...samples.map(({ longest }) => longest)),
    cpu: median(samples.map(({ cpu }) => cpu)),
  }))
}

/** A cell: the rate of the first, the shares of the others */
export function rateOrShare(all: readonly Compared[], i: number): string {
  const { share, rate } = all[i] as Compared
  return i === 0 ? `1 = ${whole(rate)}/s` : ratio(share)
}

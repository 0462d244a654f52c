import { formatRatio, formatInteger } from './format.ts'
import type { LoadGenerator, Sample } from './LoadGenerator.ts'
import type { Server } from './Server.ts'
import { median, computeSpread, type Spread } from './statistics.ts'
import type { Workload } from './Workload.ts'

export interface Comparison {
  /** Returns the workload for the server with that index; undefined if the server has no equivalent. */
  getWorkload: (server: number) => Workload | undefined
  connections: number
  /** Milliseconds of each measurement */
  milliseconds: number
  /** Milliseconds of the warm-up of each server */
  warmUp: number
  repetitions: number
  /** Called before each measurement of a server */
  before?: (server: Server) => Promise<unknown>
}

export interface Compared {
  name: string
  /** Rate as a share of the first server's in the same repetition */
  share: Spread
  /** Requests per second */
  rate: number
  /** Milliseconds */
  p50: number
  p99: number
  /** The longest response time of all repetitions */
  longest: number
  /** CPU time per request, in microseconds */
  cpu: number
}

/**
 * Measures each server repeatedly, in an order that rotates, so that other load on the machine affects all servers alike.
 * Shares are relative to the first server.
 */
export async function compare(
  load: LoadGenerator,
  servers: readonly Server[],
  { getWorkload, connections, milliseconds, warmUp, repetitions, before }: Comparison,
): Promise<Compared[]> {
  const entries = servers.flatMap((server, i) => {
    const workload = getWorkload(i)
    return workload ? [{ server, workload, samples: [] as Sample[] }] : []
  })
  for (const { server, workload } of entries)
    await load.run(server, { workload, connections, milliseconds: warmUp })
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const offset = repetition % entries.length
    for (const { server, workload, samples } of [...entries.slice(offset), ...entries.slice(0, offset)]) {
      await before?.(server)
      samples.push(await load.run(server, { workload, connections, milliseconds }))
    }
  }
  const [first] = entries as [(typeof entries)[0]]
  return entries.map(({ server, samples }) => ({
    name: server.name,
    share: computeSpread(samples.map(({ rate }, i) => rate / (first.samples[i] as Sample).rate)),
    rate: median(samples.map(({ rate }) => rate)),
    p50: median(samples.map(({ p50 }) => p50)),
    p99: median(samples.map(({ p99 }) => p99)),
    longest: Math.max(...samples.map(({ longest }) => longest)),
    cpu: median(samples.map(({ cpu }) => cpu)),
  }))
}

/** Formats a table cell: the rate of the first server, the share of any other. */
export function formatRateOrShare(all: readonly Compared[], i: number): string {
  const { share, rate } = all[i] as Compared
  return i === 0 ? `1 = ${formatInteger(rate)}/s` : formatRatio(share)
}

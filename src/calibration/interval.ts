import { isObject } from '../world/mergePatch.ts'
import type { Exchange } from './Exchange.ts'
import { refusedUpdate } from './observe.ts'

/** What a recording shows about the seconds required between two updates of an IP list. */
export interface Interval {
  /** Exact to the second; undefined if only the bounds are known */
  seconds: number | undefined
  /** More than this many seconds, and at most that many */
  bounds: { over: number; atMost: number }
  /** Exchanges that contradict each other */
  contradicting: number[]
  /** Exchanges that it is derived from */
  evidence: number[]
}

const second = 1000

/** Whether a list was updated: refusals count from the last success. */
function isUpdated({ operation, request, response }: Exchange): boolean {
  return (
    operation.operationId === 'updateService' &&
    response.status === 200 &&
    isObject(request.value) &&
    request.value['update_list'] === 'true'
  )
}

/** An update of unknown outcome may have been the last one. */
function forgetDoubtful(last: Map<string, unknown>, { doubts = [] }: Exchange): void {
  for (const path of doubts) {
    const [, id = '', field] = path.split('/')
    if (field === 'list_updated_at') last.delete(id)
  }
}

/** Exchanges about services whose list was updated before, with that update. */
function sinceUpdates(exchanges: readonly Exchange[]): { update: Exchange; exchange: Exchange }[] {
  const last = new Map<string, Exchange>()
  return exchanges.flatMap((exchange) => {
    const id = exchange.path['id'] ?? ''
    forgetDoubtful(last, exchange)
    const update = last.get(id)
    if (isUpdated(exchange)) last.set(id, exchange)
    return update ? [{ update, exchange }] : []
  })
}

/**
 * Derives the interval from the times that refusals name and from the updates that were accepted.
 * @param groups may have different services with the same id
 */
export function intervalOf(groups: readonly (readonly Exchange[])[]): Interval {
  const named: { low: number; high: number; numbers: number[] }[] = []
  let [over, atMost] = [-1, Number.POSITIVE_INFINITY]
  let fastest: number[] = []
  let slowest: number[] = []
  for (const { update, exchange } of groups.flatMap(sinceUpdates)) {
    const passed = (exchange.at - update.at) / second
    const numbers = [update.number, exchange.number]
    for (const { value: next } of refusedUpdate(exchange)) {
      // The service may round the time that it names either way, and its clock is only known to the second.
      const seconds = (next - update.at) / second
      named.push({ low: Math.floor(seconds) - 1, high: Math.ceil(seconds), numbers })
    }
    if (exchange.response.status === 429 && passed - 1 > over) {
      over = passed - 1
      slowest = numbers
    }
    if (isUpdated(exchange) && passed + 1 < atMost) {
      atMost = passed + 1
      fastest = numbers
    }
  }
  const bounds = { over: Math.max(0, over), atMost }
  const unique = (all: number[]): number[] => [...new Set(all)].toSorted((a, b) => a - b)
  if (named.length === 0) {
    const isNever = atMost <= 1
    const isTorn = over > atMost
    return {
      seconds: isNever && !isTorn ? 0 : undefined,
      bounds,
      contradicting: isTorn ? unique([...slowest, ...fastest]) : [],
      evidence: unique(fastest.length > 0 ? fastest : slowest),
    }
  }
  const low = named.reduce((most, one) => Math.max(most, one.low), -Infinity)
  const high = named.reduce((least, one) => Math.min(least, one.high), Infinity)
  const all = unique(named.flatMap((one) => one.numbers))
  if (low > high || low > atMost)
    return {
      seconds: undefined,
      bounds,
      contradicting: unique([...all, ...(low > atMost ? fastest : [])]),
      evidence: all,
    }
  return { seconds: Math.max(0, roundest(low, high)), bounds, contradicting: [], evidence: all }
}

/** The roundest of the possible values, as people tend to choose those; otherwise the one that was named. */
function roundest(low: number, high: number): number {
  const seconds = Array.from({ length: high - low + 1 }, (_, i) => high - i).filter((one) => one > 0)
  for (const unit of [60, 30, 10, 5]) {
    const found = seconds.find((one) => one % unit === 0)
    if (found !== undefined) return found
  }
  return seconds[0] ?? 0
}

/** The interval if it is known, otherwise a number of seconds within the bounds. */
export function intervalWithin({ seconds, bounds: { over, atMost } }: Interval, usual: number): number {
  if (seconds !== undefined) return seconds
  if (usual > atMost) return Math.max(0, Math.floor(atMost) - 1)
  return usual < over ? Math.ceil(over) + 1 : usual
}

import type { Exchange } from './Exchange.ts'
import { setBy, throttled } from './observe.ts'

/** What a recording shows about the seconds required between two updates of an IP list. */
export interface Interval {
  /** Exact to the second; undefined if only the bounds are known */
  seconds: number | undefined
  low: number
  high: number
  /** Exchanges that it is derived from */
  evidence: number[]
  /** Whether they contradict each other */
  isTorn: boolean
}

/** What two exchanges say about the interval. */
interface Bounds {
  low: number
  high: number
  /** A refusal named the time of the next possible update */
  isNamed: boolean
  numbers: number[]
}

/**
 * Derives the interval from the times that refusals name and from the updates that were accepted.
 * @param groups may have different services with the same id
 */
export function intervalIn(groups: readonly (readonly Exchange[])[]): Interval {
  const all = groups.flatMap(boundsIn)
  const low = all.reduce((most, one) => Math.max(most, one.low), 0)
  const high = all.reduce((least, one) => Math.min(least, one.high), Infinity)
  const isTorn = low > high
  const named = all.filter(({ isNamed }) => isNamed)
  const tightest = all.filter((one) => one.low === low || one.high === high)
  const evidence = (named.length > 0 && !isTorn ? named : tightest).flatMap(({ numbers }) => numbers)
  return {
    seconds: isTorn ? undefined : named.length > 0 ? roundest(low, high) : high <= 1 ? 0 : undefined,
    low,
    high,
    evidence: [...new Set(evidence)].toSorted((a, b) => a - b),
    isTorn,
  }
}

/** Refusals and updates of services whose list was updated before. The clocks are only known to the second. */
function boundsIn(exchanges: readonly Exchange[]): Bounds[] {
  const last = new Map<string, Exchange>()
  return exchanges.flatMap((exchange): Bounds[] => {
    // An update of unknown outcome may have been the last one.
    for (const path of exchange.uncertain ?? []) last.delete(path)
    const [refused] = throttled(exchange)
    const set = refused?.path ?? setBy(exchange).find((path) => path.endsWith('/list_updated_at'))
    const update = set === undefined ? undefined : last.get(set)
    if (set !== undefined && !refused) last.set(set, exchange)
    if (!update) return []
    const numbers = [update.number, exchange.number]
    if (!refused)
      return [{ low: 0, high: Math.floor((exchange.at - update.at) / 1000) + 1, isNamed: false, numbers }]
    const seconds = (refused.value - update.at) / 1000
    return [{ low: Math.floor(seconds) - 1, high: Math.ceil(seconds), isNamed: true, numbers }]
  })
}

/** The roundest of the possible values, as people tend to choose those; otherwise the one that was named. */
function roundest(low: number, high: number): number {
  const seconds = Array.from({ length: high - low + 1 }, (_, i) => high - i).filter((one) => one > 0)
  const round = [60, 30, 10, 5].flatMap((unit) => seconds.find((one) => one % unit === 0) ?? [])
  return round[0] ?? seconds[0] ?? 0
}

/** The interval if it is known, otherwise a number of seconds within the bounds. */
export function intervalWithin({ seconds, low, high }: Interval, usual: number): number {
  return (
    seconds ?? Math.max(0, Math.min(Math.max(usual, low && low + 1), high === Infinity ? usual : high - 1))
  )
}

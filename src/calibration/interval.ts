import type { Exchange } from './Exchange.ts'
import type { Survey } from './Knowledge.ts'
import type { Settled } from './settleAssumptions.ts'

/** What an update, accepted or refused, says of the interval since the one before, in seconds. */
interface Bounds {
  low: number
  high: number
  /** A refusal named the time of the next possible update */
  isNamed: boolean
  evidence: [number, number]
}

/**
 * Works out the interval between two updates of an IP list, from the times that refusals name and the updates that were
 * accepted.
 * @param surveys may have different services with the same id
 * @returns what is found, and an interval under which none of the updates is surprising
 */
export function settleInterval(surveys: readonly Survey[], usual: number): Settled & { seconds: number } {
  const all = surveys.flatMap(boundsIn)
  const low = all.reduce((most, one) => Math.max(most, one.low), 0)
  const high = all.reduce((least, one) => Math.min(least, one.high), Infinity)
  const named = all.filter(({ isNamed }) => isNamed)
  const telling =
    named.length > 0 && low <= high ? named : all.filter((one) => one.low === low || one.high === high)
  const numbers = new Set(telling.flatMap((one) => one.evidence))
  const evidence = [...numbers].toSorted((a, b) => a - b)
  const interpretation = low > high ? null : named.length > 0 ? roundest(low, high) : high <= 1 ? 0 : null
  if (interpretation !== null)
    return {
      verdict: interpretation === usual ? 'holds' : 'other',
      interpretation,
      evidence,
      seconds: interpretation,
    }
  const seconds = Math.max(0, Math.min(usual, high - 1))
  return { verdict: low > high ? 'contradicts' : 'undecided', interpretation, evidence, seconds }
}

/** Of services whose list was updated before. The clocks are only known to the second. */
function boundsIn({ observations }: Survey): Bounds[] {
  const last = new Map<string, Exchange>()
  return observations.flatMap(({ exchange, shows, sets }): Bounds[] => {
    const refused = shows.find(({ path }) => path.endsWith('/list_updated_at'))
    const path = refused?.path ?? sets.find((one) => one.endsWith('/list_updated_at'))
    const update = last.get(path ?? '')
    if (path !== undefined && !refused) last.set(path, exchange)
    if (!update) return []
    const seconds = (Number(refused?.value ?? exchange.at) - update.at) / 1000
    const [low, high] = refused ? [Math.floor(seconds) - 1, Math.ceil(seconds)] : [0, Math.floor(seconds) + 1]
    return [{ low, high, isNamed: refused !== undefined, evidence: [update.number, exchange.number] }]
  })
}

/** The roundest of the possible values, as people tend to choose those; otherwise the one that was named. */
function roundest(low: number, high: number): number {
  const seconds = Array.from({ length: high - low + 1 }, (_, i) => high - i).filter((one) => one > 0)
  const round = [60, 30, 10, 5].flatMap((unit) => seconds.find((one) => one % unit === 0) ?? [])
  return round[0] ?? seconds[0] ?? 0
}

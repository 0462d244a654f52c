import type { Assumption } from '../contract/Contract.ts'
import type { Readings } from '../scenario/ScenarioDocument.ts'
import type { AssumptionVerdict } from './Calibration.ts'
import { compare, httpStatus } from './compare.ts'
import type { Replayed } from './Replay.ts'

/** Replays the recording under these readings. */
export type ReplayUnder = (readings: Readings) => Promise<readonly Replayed[]>

/** What the recording says about an assumption. */
export interface Settled extends Pick<AssumptionVerdict, 'verdict' | 'reading' | 'evidence'> {
  /** Readings that nothing refutes */
  possible: (string | number)[]
}

type Value = string | number

/** A bound, in case the verdicts never stop changing. */
const maxRounds = 5

/**
 * Settles assumptions: replays each reading with the best known readings of all others, until no verdict changes.
 * @param assumptions those whose operations occur in the recording
 */
export async function settleAssumptions(
  assumptions: readonly Assumption[],
  replay: ReplayUnder,
): Promise<{ found: Map<string, Settled>; readings: Readings }> {
  let readings: Record<string, Value> = Object.fromEntries(
    assumptions.map(({ id, default: usual }) => [id, usual]),
  )
  for (let round = 1; ; round++) {
    const found = new Map<string, Settled>()
    const best: Record<string, Value> = {}
    for (const { id, default: usual, alternatives } of assumptions) {
      const tried: Tried[] = []
      for (const value of [usual, ...alternatives])
        tried.push({ value, replayed: await replay({ ...readings, [id]: value }), agreed: [], refuted: [] })
      found.set(id, verdictOn(tried))
      best[id] = bestOf(tried)
    }
    const isSettled = JSON.stringify(best) === JSON.stringify(readings)
    if (isSettled || round === maxRounds) return { found, readings: best }
    readings = best
  }
}

/** A reading, with the numbers of the exchanges that agree with it and of those that refute it. */
interface Tried {
  value: Value
  replayed: readonly Replayed[]
  agreed: number[]
  refuted: number[]
}

/** There is no majority vote: one exchange that is impossible under a reading refutes it. */
function verdictOn(tried: readonly Tried[]): Settled {
  const [usual] = tried as [Tried, ...Tried[]]
  for (const [i, { exchange }] of usual.replayed.entries()) {
    const { number, response } = exchange
    const all = tried.map((one) => one.replayed[i] as Replayed)
    const apart = response.status >= 500 ? new Set<string>() : apartAt(all)
    if (apart.size === 0) continue
    // The readings agree on the status and the service has another: this says nothing about any of them.
    if (!apart.has(httpStatus) && all.some(({ ours }) => ours.status !== response.status)) continue
    for (const one of tried) {
      const { differences, isUndecidable } = one.replayed[i] as Replayed
      if (!differences.some(({ path, generated }) => !generated && touches(apart, path)))
        one.agreed.push(number)
      else if (!isUndecidable) one.refuted.push(number)
    }
  }
  const left = tried.filter(({ refuted }) => refuted.length === 0)
  const possible = left.map(({ value }) => value)
  const all = tried.flatMap(({ refuted }) => refuted)
  const evidence = [...new Set(all)].toSorted((a, b) => a - b)
  const holding = left.includes(usual) ? usual : left.length === 1 ? left[0] : undefined
  if (left.length === 0) return { verdict: 'contradicts', reading: null, evidence, possible }
  if (!holding || left.length === tried.length)
    return { verdict: 'undecided', reading: null, evidence, possible }
  return {
    verdict: holding === usual ? 'holds' : 'other',
    reading: holding.value,
    evidence: evidence.filter((number) => holding.agreed.includes(number)),
    possible: [holding.value],
  }
}

/** The reading to go on with: the first that is refuted least. */
function bestOf(tried: readonly Tried[]): Value {
  return tried.reduce((best, one) => (one.refuted.length < best.refuted.length ? one : best)).value
}

/** The parts in which the readings differ from each other at an exchange. */
function apartAt([first, ...others]: readonly Replayed[]): Set<string> {
  const apart = new Set<string>()
  for (const { ours, exchange } of others) {
    if (!first || (ours.body === first.ours.body && ours.status === first.ours.status)) continue
    for (const { path, generated } of compare(exchange, ours, first.ours)) if (!generated) apart.add(path)
  }
  return apart
}

function touches(apart: ReadonlySet<string>, path: string): boolean {
  if (apart.has(path) || path === httpStatus) return true
  for (const one of apart) if (path.startsWith(one) || one.startsWith(path)) return true
  return false
}

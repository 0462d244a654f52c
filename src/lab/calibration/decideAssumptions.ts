import type { Assumption } from '../../contract/Contract.ts'
import type { Interpretations } from '../simulator.ts'
import type { JudgedAssumption } from './Calibration.ts'
import { compare, httpStatus } from './compare.ts'
import type { ReplayedExchange } from './Replay.ts'

export type Decision = Pick<JudgedAssumption, 'verdict' | 'interpretation' | 'evidence'>

/** An interpretation, with the result of its replay, and the numbers of the exchanges that refute it. */
interface Candidate {
  value: string | number
  replayed: readonly ReplayedExchange[]
  refuted: Set<number>
}

/** Maximum number of rounds, in case the verdicts never become stable. */
const maxRounds = 5

/**
 * Decides assumptions. Each round replays every interpretation of an assumption with the best interpretations of the others,
 * as found so far. The rounds end when these no longer change.
 * @param initial the initial interpretations
 * @param replay replays the recording under these interpretations
 */
export function decideAssumptions(
  assumptions: readonly Assumption[],
  initial: Interpretations,
  replay: (interpretations: Interpretations) => readonly ReplayedExchange[],
): { found: Map<string, Decision>; interpretations: Interpretations } {
  const found = new Map<string, Decision>()
  let interpretations = initial
  for (let round = 1; round <= maxRounds; round++) {
    const best: Record<string, unknown> = { ...interpretations }
    for (const { id, default: first, alternatives } of assumptions) {
      const candidates = [first, ...alternatives].map((value): Candidate => {
        const replayed = replay({ ...interpretations, [id]: value })
        return { value, replayed, refuted: new Set() }
      })
      found.set(id, decide(candidates))
      // The next round uses the first of the least refuted interpretations.
      best[id] = candidates.toSorted((a, b) => a.refuted.size - b.refuted.size)[0]?.value
    }
    if (JSON.stringify(best) === JSON.stringify(interpretations)) break
    interpretations = best
  }
  return { found, interpretations }
}

/**
 * Decides one assumption. A single exchange that is impossible under an interpretation refutes it.
 * @param candidates the default first
 */
function decide(candidates: readonly Candidate[]): Decision {
  const [first] = candidates as [Candidate, ...Candidate[]]
  for (const [i, { exchange }] of first.replayed.entries()) {
    const { number, response } = exchange
    const all = candidates.map(({ replayed }) => replayed[i] as ReplayedExchange)
    const differing = response.status >= 500 ? [] : differingParts(all)
    // All interpretations agree on a status that the service doesn't return, so the exchange says nothing about them.
    const isUnexplained =
      !differing.includes(httpStatus) && all.some(({ ours }) => ours.status !== response.status)
    if (differing.length === 0 || isUnexplained) continue
    for (const [n, { differences, isUndecidable }] of all.entries())
      if (
        !isUndecidable &&
        differences.some(({ path, isGenerated }) => !isGenerated && overlapsDifference(differing, path))
      )
        candidates[n]?.refuted.add(number)
  }
  const unrefuted = candidates.filter(({ refuted }) => refuted.size === 0)
  const evidence = [...new Set(candidates.flatMap(({ refuted }) => [...refuted]))].toSorted((a, b) => a - b)
  if (unrefuted.length === 0) return { verdict: 'contradicts', interpretation: null, evidence }
  const confirmed = unrefuted.includes(first) ? first : unrefuted.length === 1 ? unrefuted[0] : undefined
  if (!confirmed || unrefuted.length === candidates.length)
    return { verdict: 'undecided', interpretation: null, evidence }
  return { verdict: confirmed === first ? 'holds' : 'other', interpretation: confirmed.value, evidence }
}

/** The parts of a response in which the interpretations differ from each other. */
function differingParts([first, ...others]: readonly ReplayedExchange[]): string[] {
  return others.flatMap(({ ours, exchange }) =>
    !first ||
    (ours.body === first.ours.body &&
      ours.status === first.ours.status &&
      ours.contentType === first.ours.contentType)
      ? []
      : compare(exchange, ours, first.ours).flatMap(({ path, isGenerated }) => (isGenerated ? [] : path)),
  )
}

/** A different status or case always counts as a different response. */
function overlapsDifference(differing: readonly string[], path: string): boolean {
  return (
    path === httpStatus ||
    path === 'case' ||
    differing.some((one) => path.startsWith(one) || one.startsWith(path))
  )
}

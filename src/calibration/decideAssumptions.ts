import type { Assumption } from '../contract/Contract.ts'
import type { Interpretations } from '../scenario/ScenarioDocument.ts'
import type { JudgedAssumption } from './Calibration.ts'
import { compare, httpStatus } from './compare.ts'
import type { Replayed } from './Replay.ts'

/** The decision on an assumption. */
export type Decision = Pick<JudgedAssumption, 'verdict' | 'interpretation' | 'evidence'>

/** An interpretation, with the result of its replay, and the numbers of the exchanges that refute it. */
interface Tried {
  value: string | number
  replayed: readonly Replayed[]
  refuted: Set<number>
}

/** Maximum number of rounds, in case the verdicts never become stable. */
const maxRounds = 5

/**
 * Decides assumptions: replays each interpretation with the best known interpretations of all others, until none changes.
 * @param usual the initial interpretations
 * @param replay replays the recording under these interpretations
 */
export function decideAssumptions(
  assumptions: readonly Assumption[],
  usual: Interpretations,
  replay: (interpretations: Interpretations) => readonly Replayed[],
): { found: Map<string, Decision>; interpretations: Interpretations } {
  const found = new Map<string, Decision>()
  let interpretations = usual
  for (let round = 1; round <= maxRounds; round++) {
    const best: Record<string, unknown> = { ...interpretations }
    for (const { id, default: first, alternatives } of assumptions) {
      const tried = [first, ...alternatives].map((value): Tried => {
        const replayed = replay({ ...interpretations, [id]: value })
        return { value, replayed, refuted: new Set() }
      })
      found.set(id, decide(tried))
      // The interpretation for the next round: the first of the least refuted.
      best[id] = tried.toSorted((a, b) => a.refuted.size - b.refuted.size)[0]?.value
    }
    if (JSON.stringify(best) === JSON.stringify(interpretations)) break
    interpretations = best
  }
  return { found, interpretations }
}

/** There is no majority vote: one exchange that is impossible under an interpretation refutes it. @param tried the default first */
function decide(tried: readonly Tried[]): Decision {
  const [usual] = tried as [Tried, ...Tried[]]
  for (const [i, { exchange }] of usual.replayed.entries()) {
    const { number, response } = exchange
    const all = tried.map(({ replayed }) => replayed[i] as Replayed)
    const differing = response.status >= 500 ? [] : differingParts(all)
    // All interpretations agree on a status that the service doesn't return, so the exchange says nothing about them.
    const isOther = !differing.includes(httpStatus) && all.some(({ ours }) => ours.status !== response.status)
    if (differing.length === 0 || isOther) continue
    for (const [n, { differences, isUndecidable }] of all.entries())
      if (
        !isUndecidable &&
        differences.some(({ path, generated }) => !generated && overlapsDifference(differing, path))
      )
        tried[n]?.refuted.add(number)
  }
  const left = tried.filter(({ refuted }) => refuted.size === 0)
  const evidence = [...new Set(tried.flatMap(({ refuted }) => [...refuted]))].toSorted((a, b) => a - b)
  if (left.length === 0) return { verdict: 'contradicts', interpretation: null, evidence }
  const holding = left.includes(usual) ? usual : left.length === 1 ? left[0] : undefined
  if (!holding || left.length === tried.length)
    return { verdict: 'undecided', interpretation: null, evidence }
  return { verdict: holding === usual ? 'holds' : 'other', interpretation: holding.value, evidence }
}

/** The parts of a response in which the interpretations differ from each other. */
function differingParts([first, ...others]: readonly Replayed[]): string[] {
  return others.flatMap(({ ours, exchange }) =>
    !first ||
    (ours.body === first.ours.body && ours.status === first.ours.status && ours.type === first.ours.type)
      ? []
      : compare(exchange, ours, first.ours).flatMap(({ path, generated }) => (generated ? [] : path)),
  )
}

/** Another status or case is a different response, whatever parts the interpretations affect. */
function overlapsDifference(differing: readonly string[], path: string): boolean {
  return (
    path === httpStatus ||
    path === 'case' ||
    differing.some((one) => path.startsWith(one) || one.startsWith(path))
  )
}

import type { JudgedAssumption } from './Calibration.ts'
import { compare, httpStatus, isNumeric, isUnset, type Difference } from './parts.ts'
import type { ReplayedExchange } from './Replay.ts'

export interface Decision extends Pick<JudgedAssumption, 'verdict' | 'interpretation' | 'evidence'> {
  /** The undecided assumption that alone prevents the decision, because it gives the recorded values their meaning */
  missing?: string
}

/** Interpretations by assumption */
export type Interpretations = Readonly<Record<string, string | number>>

/** A question with its possible answers, the default first. An answer may interpret several assumptions at once. */
export interface Question {
  id: string
  answers: readonly Interpretations[]
}

/** An answer, with the numbers of the exchanges that refute it. */
export interface Candidate {
  answer: Interpretations
  refuted: ReadonlySet<number>
}

/** Maximum number of rounds, in case the answers never become stable. */
const maxRounds = 5

/**
 * Tries the answers to each question. Each round replays every answer with the best answers to the other questions, as found so
 * far. The rounds end when these no longer change.
 * @param replay replays the recording under interpretations
 */
export function tryAnswers(
  questions: readonly Question[],
  initial: Interpretations,
  replay: (interpretations: Interpretations) => readonly ReplayedExchange[],
): { tried: Map<string, Candidate[]>; best: Interpretations } {
  const tried = new Map<string, Candidate[]>()
  let best = initial
  for (let round = 1; round <= maxRounds; round++) {
    const next = { ...best }
    for (const { id, answers } of questions) {
      const replays = answers.map((answer) => replay({ ...best, ...answer }))
      const refuted = findRefuted(replays)
      const candidates = answers.map((answer, i) => ({ answer, refuted: refuted[i] as Set<number> }))
      tried.set(id, candidates)
      // The next round uses the first of the least refuted answers.
      Object.assign(next, candidates.toSorted((a, b) => a.refuted.size - b.refuted.size)[0]?.answer)
    }
    if (JSON.stringify(next) === JSON.stringify(best)) break
    best = next
  }
  return { tried, best }
}

/** Decides an assumption. A single exchange that is impossible under an interpretation refutes it. */
export function decide(id: string, candidates: readonly Candidate[]): Decision {
  const [first] = candidates
  const unrefuted = candidates.filter(({ refuted }) => refuted.size === 0)
  const evidence = listEvidence(candidates)
  if (unrefuted.length === 0) return { verdict: 'contradicts', interpretation: null, evidence }
  const confirmed =
    first && unrefuted.includes(first) ? first : unrefuted.length === 1 ? unrefuted[0] : undefined
  const interpretation = confirmed?.answer[id]
  if (interpretation === undefined || unrefuted.length === candidates.length)
    return { verdict: 'undecided', interpretation: null, evidence }
  return { verdict: confirmed === first ? 'holds' : 'other', interpretation, evidence }
}

/** The exchanges that refute some of the candidates */
export function listEvidence(candidates: readonly Candidate[]): number[] {
  return [...new Set(candidates.flatMap(({ refuted }) => [...refuted]))].toSorted((a, b) => a - b)
}

/** Returns the exchanges that refute each of several interpretations. @param replays one per interpretation */
function findRefuted(replays: readonly (readonly ReplayedExchange[])[]): Set<number>[] {
  const refuted = replays.map(() => new Set<number>())
  const [first = []] = replays
  for (const [i, { exchange }] of first.entries()) {
    const all = replays.map((replay) => replay[i] as ReplayedExchange)
    const differing = findDiffering(all)
    if (differing.length === 0 || isUnexplained(all, differing)) continue
    for (const [n, replayed] of all.entries())
      if (!replayed.isUndecidable && differing.some((one) => refutes(replayed, one)))
        refuted[n]?.add(exchange.number)
  }
  return refuted
}

/** The parts of a response that interpretations predict differently. */
function findDiffering(all: readonly ReplayedExchange[]): Difference[] {
  const predictions = [...new Set(all.map(({ ours }) => ours.parts))] // equal ones share their parts
  if (predictions.length === 1) return []
  const found = predictions.flatMap((one, i) =>
    predictions.slice(i + 1).flatMap((other) => compare(one, other)),
  )
  return [...new Map(found.map((one) => [one.path, one])).values()].filter((one) => !one.isGenerated)
}

/**
 * Whether an exchange says nothing, because no interpretation explains it: none has the status that all agree on, those that have
 * it predict other content, or those that don't have it include one that rests on unknown values.
 */
function isUnexplained(all: readonly ReplayedExchange[], differing: readonly Difference[]): boolean {
  const hasStatus = ({ ours, exchange }: ReplayedExchange): boolean =>
    ours.status === exchange.response.status
  const withStatus = all.filter(hasStatus)
  if (!differing.some(({ path }) => path === httpStatus)) return withStatus.length < all.length
  if (withStatus.length === 0) return all.some(({ isUndecidable }) => isUndecidable)
  return withStatus.every(
    ({ differences, isUndecidable }) =>
      !isUndecidable && differences.some((one) => !one.isGenerated && !one.isNotation),
  )
}

/**
 * Whether an interpretation predicts a part differently from the recorded response. If interpretations only write the value in
 * different ways, another value refutes none of them.
 */
function refutes({ differences }: ReplayedExchange, { path, isNotation }: Difference): boolean {
  return differences.some((found) => {
    const { real, ours } = found
    const isThere = found.path === path
    if (found.isGenerated || !(isThere || found.path === `${path} values`)) return false
    if (!isNotation) return !found.isNotation
    return isThere && (isUnset(ours) ? isUnset(real) : isNumeric(real) && typeof real !== typeof ours)
  })
}

import type { Assumption } from '../../contract/Contract.ts'
import type { Interpretations } from '../simulator.ts'
import type { JudgedAssumption } from './Calibration.ts'
import { compare, httpStatus, isNumeric, isUnset, type Difference } from './compare.ts'
import type { ReplayedExchange } from './Replay.ts'
import { findCase } from './schemas.ts'

export interface Decision extends Pick<JudgedAssumption, 'verdict' | 'interpretation' | 'evidence'> {
  /** The undecided assumption that alone prevents the decision, because it gives the recorded values their meaning */
  missing?: string
}

/** An interpretation, with the result of its replay, and the numbers of the exchanges that refute it. */
interface Candidate {
  value: string | number
  replayed: readonly ReplayedExchange[]
  refuted: Set<number>
}

/** Evidence about an assumption that replays don't show. */
interface OtherEvidence {
  /** The numbers of further exchanges that refute an interpretation */
  getRefuting: (value: string) => number[]
  /** Whether a refuting exchange only counts for the choice of an interpretation to replay with */
  provesNothing: (exchange: number) => boolean
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
  otherEvidence: Readonly<Record<string, OtherEvidence>> = {},
): { found: Map<string, Decision>; interpretations: Interpretations } {
  const found = new Map<string, Decision>()
  let interpretations = initial
  for (let round = 1; round <= maxRounds; round++) {
    const best: Record<string, unknown> = { ...interpretations }
    for (const { id, default: first, alternatives } of assumptions) {
      const candidates = [first, ...alternatives].map((value): Candidate => {
        const replayed = replay({ ...interpretations, [id]: value })
        return { value, replayed, refuted: new Set(otherEvidence[id]?.getRefuting(String(value))) }
      })
      found.set(id, decide(candidates, otherEvidence[id]?.provesNothing))
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
function decide(
  candidates: readonly Candidate[],
  provesNothing: OtherEvidence['provesNothing'] = () => false,
): Decision {
  const [first] = candidates as [Candidate, ...Candidate[]]
  for (const [i, { exchange }] of first.replayed.entries()) {
    const { number, operation, response } = exchange
    const all = candidates.map(({ replayed }) => replayed[i] as ReplayedExchange)
    // A service that is overloaded or limits its rate says nothing about the request.
    const isUnrelated =
      response.status >= 500 || ([408, 425, 429].includes(response.status) && !findCase(operation, response))
    const differing = isUnrelated ? [] : differingParts(all)
    // An exchange says nothing if all interpretations agree on a status that the service doesn't return, or if those with its
    // status return other content: a record that we can't have, such as one with a longer id.
    const withStatus = all.filter(({ ours }) => ours.status === response.status)
    const isAboutStatus = differing.some(({ path }) => path === httpStatus)
    const isUnexplained = isAboutStatus
      ? withStatus.length > 0 && withStatus.every(hasOtherContent)
      : withStatus.length < all.length
    if (differing.length === 0 || isUnexplained) continue
    // No interpretation has such a response (or even its status), so none agrees, unless one rests on state that is unknown.
    const isForeign = isAboutStatus && withStatus.every(hasForeignBody)
    if (isForeign && all.some(({ isUndecidable }) => isUndecidable)) continue
    // An object that lacks a field in every interpretation proves nothing by lacking others.
    const [incomplete = [], ...others] = all.map((one) => findIncomplete(one, differing))
    const unexplained = incomplete.filter((path) => others.every((paths) => paths.includes(path)))
    const isProof = (one: Difference): boolean => !isLacking(one) || !unexplained.includes(parentPath(one))
    const refuted = all.map((one) => !one.isUndecidable && refutes(one, differing, isProof))
    // A value that every interpretation forbids refutes all of them, unless another part of the response tells them apart.
    const isForbidden =
      isForeign || (!refuted.includes(true) && all.every((one) => isBrokenWhere(one, differing)))
    for (const [n, isRefuted] of refuted.entries())
      if (isRefuted || isForbidden) candidates[n]?.refuted.add(number)
  }
  const proofs = candidates.map(({ refuted }) => [...refuted].filter((one) => !provesNothing(one)))
  const unrefuted = candidates.filter((_, n) => proofs[n]?.length === 0)
  const evidence = [...new Set(proofs.flat())].toSorted((a, b) => a - b)
  if (unrefuted.length === 0) return { verdict: 'contradicts', interpretation: null, evidence }
  const confirmed = unrefuted.includes(first) ? first : unrefuted.length === 1 ? unrefuted[0] : undefined
  if (!confirmed || unrefuted.length === candidates.length)
    return { verdict: 'undecided', interpretation: null, evidence }
  return { verdict: confirmed === first ? 'holds' : 'other', interpretation: confirmed.value, evidence }
}

/** Whether the real response has other fields, items or types, or none that could be compared. */
function hasOtherContent(replayed: ReplayedExchange): boolean {
  const { differences, broken, wasCompared, hasUnusableParts, isUndecidable } = replayed
  const isUnread = !wasCompared && hasUnusableParts && broken.length === 0
  const isOther = differences.some(
    ({ form, isGenerated }) => !isGenerated && (form === 'shape' || form === 'presence'),
  )
  return !isUndecidable && (isUnread || isOther)
}

function hasForeignBody({ broken }: ReplayedExchange): boolean {
  return broken.some(({ path }) => path === 'body')
}

/** The parts of a response in which the interpretations differ. */
function differingParts([first, ...others]: readonly ReplayedExchange[]): Difference[] {
  return others.flatMap(({ ours, exchange }) =>
    !first ||
    (ours.body === first.ours.body &&
      ours.status === first.ours.status &&
      ours.contentType === first.ours.contentType)
      ? []
      : compare(exchange, ours, first.ours).differences.filter((one) => !one.isGenerated),
  )
}

/** The objects of the real response that lack a field, apart from those in which the interpretations differ. */
function findIncomplete({ differences }: ReplayedExchange, differing: readonly Difference[]): string[] {
  const isExpected = (one: Difference): boolean => differing.some(({ path }) => path === one.path)
  return differences.flatMap((one) => (isLacking(one) && !isExpected(one) ? parentPath(one) : []))
}

/** Whether the real response lacks a field (`setip`), not an item of a list (`[id=5]`). */
function isLacking({ path, real, form }: Difference): boolean {
  return form === 'presence' && real === undefined && !path.endsWith(']')
}

function parentPath({ path }: Difference): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.')))
}

function refutes(
  { differences, broken }: ReplayedExchange,
  differing: readonly Difference[],
  isProof: (difference: Difference) => boolean,
): boolean {
  return (
    differences.some((one) => !one.isGenerated && isProof(one) && isRefuting(one, differing)) ||
    broken.some((one) =>
      findAffected(one, differing).some(({ form }) =>
        form === 'notation' ? isForeignNotation(one) : form === 'shape',
      ),
    )
  )
}

/**
 * Whether a difference from the real response refutes an interpretation. If the interpretations only write the value in
 * different ways, another value refutes none of them. A different status or case always counts as a different response.
 */
function isRefuting({ path, real, ours, form }: Difference, differing: readonly Difference[]): boolean {
  if (differing.some((one) => one.form === 'notation' && one.path === path))
    return isUnset(ours) ? isUnset(real) : isNumeric(real) && typeof real !== typeof ours
  if (form === 'notation' && isNumeric(real)) return false
  return (
    path === httpStatus ||
    path === 'case' ||
    differing.some(
      (one) => one.form !== 'notation' && (path.startsWith(one.path) || one.path.startsWith(path)),
    )
  )
}

/** Whether a value that the contract forbids is written in another way than an interpretation does. */
function isForeignNotation({ real, ours }: Difference): boolean {
  return isUnset(ours) || (isNumeric(real) && (typeof real === 'string' || typeof ours !== 'number'))
}

function isBrokenWhere(
  { broken, isUndecidable }: ReplayedExchange,
  differing: readonly Difference[],
): boolean {
  const isEvidence = (one: Difference): boolean =>
    one.real !== undefined && findAffected(one, differing).some(({ form }) => form !== 'value')
  return !isUndecidable && broken.some(isEvidence)
}

/** The parts in which the interpretations differ that a broken part includes. A list includes its items. */
function findAffected({ path }: Difference, differing: readonly Difference[]): Difference[] {
  const items = path === 'body' ? '[]' : `${path}[]`
  return differing.filter((one) => one.path === path || one.path.startsWith(items))
}

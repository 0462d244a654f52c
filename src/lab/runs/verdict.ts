import { type Finding, findingRules } from '../simulator.ts'
import type { Mark } from '../../report/Report.ts'
import type { Stage } from './Cell.ts'

/** The verdicts of sweep and matrix, the worst first. */
export const verdicts = {
  harm: 'bad',
  doubled: 'bad',
  raced: 'bad',
  orphaned: 'bad',
  swallowed: 'bad',
  changed: 'bad',
  diverged: 'bad',
  stuck: 'bad',
  hang: 'bad',
  fails: 'bad',
  noticed: 'good',
  recovered: 'good',
  survived: 'good',
  survives: 'good',
  'not triggered': 'none',
  'not exercised': 'none',
} satisfies Record<string, Mark>

export type Verdict = keyof typeof verdicts

/** The verdicts of a matrix, in the order of its summary. `sweep` has all others, and `harm`. */
export const matrixVerdicts = [
  'survives',
  'changed',
  'harm',
  'fails',
  'not exercised',
] as const satisfies Verdict[]

export const sweepVerdicts = (Object.keys(verdicts) as Verdict[]).filter(
  (name) => name === 'harm' || !(matrixVerdicts as readonly Verdict[]).includes(name),
)

/** The verdicts that reveal a bug of the client. */
export function pickBad(names: readonly Verdict[]): Verdict[] {
  return names.filter((name) => verdicts[name] === 'bad')
}

/** The basis of a verdict on a run. */
export interface Evidence {
  stage: Stage
  isTriggered: boolean
  exitCode: number
  timedOut: boolean
  /** The findings that the runs without faults don't have; with a second run, also those of the second run */
  findings: readonly Pick<Finding, 'finding' | 'severity'>[]
  /** Whether the result differs from that of the runs without faults */
  differs: boolean
  /** The verdict of the last run, if the run was followed by another */
  rerun?: Verdict | undefined
}

/** The first verdict that applies. A fault that didn't trigger proves nothing, whatever else happened. */
export function judge({
  stage,
  isTriggered,
  exitCode,
  timedOut,
  findings,
  differs,
  rerun,
}: Evidence): Verdict {
  const hasFailed = exitCode !== 0 || timedOut
  if (!isTriggered) return 'not triggered'
  if (findings.some((one) => isHarm(one))) return 'harm'
  if (rerun) return rerun
  // After a lost order and a look-up that fails, an error is the only right answer.
  if (findings.some(isOrphaning) && !(stage === 'recovery' && hasFailed)) return 'orphaned'
  if (timedOut) return 'hang'
  if (exitCode !== 0) return 'noticed'
  return differs ? 'swallowed' : 'survived'
}

/** The basis of a verdict on the last of several runs. */
export interface RerunEvidence {
  exitCode: number
  timedOut: boolean
  differs: boolean
  /** Whether all runs together added more records than one run without faults */
  addsMore: boolean
}

/** The verdict on the last of several runs. */
export function judgeRerun({ exitCode, timedOut, differs, addsMore }: RerunEvidence): Verdict {
  if (addsMore) return 'doubled'
  if (exitCode !== 0 || timedOut) return 'stuck'
  return differs ? 'diverged' : 'recovered'
}

/** The verdict on two runs at the same time. */
export function judgeOverlap(
  ended: readonly { exitCode: number; timedOut: boolean }[],
  { hasWritten, differs }: { hasWritten: boolean; differs: boolean },
): Verdict {
  if (!hasWritten) return 'not triggered'
  if (ended.some(({ timedOut }) => timedOut)) return 'hang'
  if (ended.some(({ exitCode }) => exitCode !== 0)) return 'noticed'
  return differs ? 'raced' : 'survived'
}

/** The verdict on a run with another interpretation. */
export function judgeInterpretation({
  exitCode,
  timedOut,
  findings,
  differs,
  isExercised,
}: Omit<Evidence, 'stage' | 'isTriggered' | 'rerun'> & { isExercised: boolean }): Verdict {
  if (exitCode !== 0 || timedOut) return 'fails'
  if (!isExercised) return 'not exercised'
  if (findings.some(({ severity }) => severity !== 'low')) return 'harm'
  return differs ? 'changed' : 'survives'
}

/** Verdicts based on a difference from the runs without faults */
export const differenceVerdicts: ReadonlySet<Verdict> = new Set([
  'harm',
  'orphaned',
  'swallowed',
  'doubled',
  'diverged',
  'raced',
])

/** Whether a finding would cause damage. Leaving records that the client doesn't know has a verdict of its own. */
function isHarm({ finding, severity }: Pick<Finding, 'finding' | 'severity'>): boolean {
  return severity !== 'low' && !findingRules[finding].leavesOrphans
}

export function isOrphaning({ finding }: Pick<Finding, 'finding'>): boolean {
  return findingRules[finding].leavesOrphans === true
}

import type { Mark } from '../report/Report.ts'

/** The verdicts on a run, the worst first, and what each means. The first three are what a sweep looks for. */
export const meanings = {
  harm: 'The client did something that does damage in production.',
  swallowed: 'The client exited with 0, although the end state differs from the run without faults.',
  hang: 'The client did not finish in time.',
  noticed: 'The client exited with an error.',
  survived: 'The client exited with 0 and reached the same end state.',
  'not struck': "The call wasn't made; no result.",
} as const

export type Verdict = keyof typeof meanings

export const verdicts = Object.keys(meanings) as Verdict[]

/** Whether a verdict reveals a bug of the client. */
export function isBad(verdict: Verdict): boolean {
  return ['harm', 'swallowed', 'hang'].includes(verdict)
}

export function markOf(verdict: Verdict): Mark {
  return isBad(verdict) ? 'bad' : verdict === 'not struck' ? 'none' : 'good'
}

/** What a run is judged by. */
export interface Outcome {
  /** Whether the call that the fault is for was made */
  isStruck: boolean
  /** Number of findings that the run without faults doesn't have */
  harms: number
  exitCode: number
  timedOut: boolean
  /** Whether the end state is the same as without faults */
  isSameEnd: boolean
}

/** The first verdict that fits. A fault that never struck proves nothing, whatever else happened. */
export function judge({ isStruck, harms, exitCode, timedOut, isSameEnd }: Outcome): Verdict {
  if (!isStruck) return 'not struck'
  if (harms > 0) return 'harm'
  if (timedOut) return 'hang'
  if (exitCode !== 0) return 'noticed'
  return isSameEnd ? 'survived' : 'swallowed'
}

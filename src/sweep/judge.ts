/** The verdicts on a run, the worst first. The first three are what a sweep looks for. */
export const verdicts = ['harm', 'swallowed', 'hang', 'noticed', 'survived', 'not struck'] as const

export type Verdict = (typeof verdicts)[number]

/** Whether a verdict reveals a bug of the client. */
export function isBad(verdict: Verdict): boolean {
  return verdict === 'harm' || verdict === 'swallowed' || verdict === 'hang'
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

import { counted } from '../counted.ts'
import { mishaps } from '../faults/namedFaults.ts'
import type { ShownRequest, SweepReport, SweepRun } from './SweepRun.ts'

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

/** `#3 POST /api/product/101: 422, insufficient-funds, credit 0.50 is less than price 20.00` */
export function describeRequest(request: ShownRequest): string {
  const { id, method, path, status, case: name, reason, struck } = request
  const why = [status ?? 'no response', name, reason].filter((part) => part !== null).join(', ')
  return `#${id} ${method} ${path}: ${why}${struck ? ' ← struck' : ''}`
}

/** Why a run has its verdict, a line each. */
export function reasonsOf({ verdict, findings, endState, timedOut, exitCode }: SweepRun): string[] {
  return [
    ...findings.map(({ finding, message }) => `${finding}: ${message}`),
    ...(verdict === 'hang' || (verdict === 'harm' && timedOut) ? ['Stopped after the timeout.'] : []),
    ...(verdict === 'harm' && !timedOut ? [`Exited with ${exitCode}.`] : []),
    ...(endState?.missing ?? []).map((line) => `missing: ${line}`),
    ...(endState?.added ?? []).map((line) => `only with the fault: ${line}`),
  ]
}

/** `44 runs: 1 harm, 30 noticed, 13 survived; interrupted, 2 runs missing` */
export function tally({ runs, verdicts: counts, notRun }: SweepReport): string {
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict}`)
  const missing = notRun > 0 ? `; interrupted, ${counted(notRun, 'run')} missing` : ''
  return `${counted(runs.length, 'run')}: ${parts.join(', ')}${missing}`
}

/** The operations of some runs, each once. */
export function operationsOf(runs: readonly SweepRun[]): string[] {
  return [...new Set(runs.map(({ operation }) => operation))]
}

/** The faults of some runs, each once, documented cases first. */
export function faultsOf(runs: readonly SweepRun[]): string[] {
  const rank = (fault: string): number => mishaps.findIndex(({ name }) => name === fault)
  return [...new Set(runs.map(({ fault }) => fault))].toSorted((a, b) => rank(a) - rank(b))
}

import { counted } from '../counted.ts'
import type { Verdict } from './judge.ts'
import type { ShownRequest, SweepReport, SweepRun } from './SweepReport.ts'

/** What each verdict means, in a sentence. */
export const meanings: Record<Verdict, string> = {
  harm: 'The client did something that does damage in production.',
  swallowed:
    'The client exited with 0, but the end state differs from the one without the fault: nobody noticed.',
  hang: 'The client did not finish in time.',
  noticed: 'The client exited with an error.',
  survived: 'The client exited with 0 and reached the same end state.',
  'not struck': 'The call was never made, so this proves nothing.',
}

/** Characters */
const maxChangeLength = 240

/** A request in a line: `#3 POST /api/product/101: 422 insufficient-funds: credit 0.50 is less than price 20.00` */
export function describeRequest({
  id,
  method,
  path,
  status,
  case: name,
  reason,
  struck,
}: ShownRequest): string {
  const why = [status ?? 'no answer', name, reason].filter((part) => part !== null).join(', ')
  return `#${id} ${method} ${path}: ${why}${struck ? ' ← struck' : ''}`
}

/** The change that it made, as JSON; undefined if it made none. */
export function describeChange({ change }: ShownRequest): string | undefined {
  if (change === null) return undefined
  const text = JSON.stringify(change)
  return text.length > maxChangeLength ? `${text.slice(0, maxChangeLength)}…` : text
}

/** Why a run has its verdict, a line each. */
export function reasonsOf({ verdict, findings, endState, timedOut, exitCode }: SweepRun): string[] {
  return [
    ...findings.map(({ finding, message }) => `${finding}: ${message}`),
    ...(verdict === 'hang' ? ['It was stopped after the timeout.'] : []),
    ...(verdict === 'harm'
      ? [timedOut ? 'It was stopped after the timeout.' : `It exited with ${exitCode}.`]
      : []),
    ...(endState?.missing ?? []).map((line) => `missing at the end: ${line}`),
    ...(endState?.added ?? []).map((line) => `only with the fault: ${line}`),
  ]
}

/** `44 runs: 1 harm, 30 noticed, 13 survived; interrupted, 2 runs missing` */
export function tally({ runs, verdicts, notRun }: SweepReport): string {
  const parts = Object.entries(verdicts)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict}`)
  const missing = notRun > 0 ? `; interrupted, ${counted(notRun, 'run')} missing` : ''
  return `${counted(runs.length, 'run')}: ${parts.join(', ')}${missing}`
}

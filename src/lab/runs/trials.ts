import type { Line, Report } from '../../report/Report.ts'
import { Interrupted } from './runCommand.ts'
import type { RunSettings } from './runAgainstSimulator.ts'

/** Options of matrix and sweep, which run a command several times under different conditions. */
export interface TrialSettings extends Pick<RunSettings, 'command' | 'signals' | 'simulator'> {
  /** Maximum number of concurrent runs */
  jobs: number
  /** Patterns of files that aren't compared */
  ignore: readonly string[]
  /** Whether to show the output of each run on standard error. It is shown when the run ends, because runs are concurrent. */
  verbose?: boolean | undefined
  /** Called when a run ends. @param total number of runs */
  onRun: (name: string, verdict: Line, durationMs: number, total: number) => void
}

/** The result of all runs. */
export interface Result<Data> {
  data: Data
  report: Report
  passed: boolean
  /** Why the result is missing or incomplete, if it is */
  problem?: string | undefined
}

/** The message for a command that sent no request */
export const noRequestMessage =
  'The command sent no request, so nothing was tested. Make it use PROXYSIM_URL.'

/** Shows the output of a command on standard error. */
export function showOutput(printed: string): void {
  if (printed.trim() !== '') process.stderr.write(`${printed.trimEnd()}\n`)
}

/**
 * Maps items concurrently, starting them in order. After an error, no further items are started.
 * @returns the results in the order of the items; only the completed ones after an interruption
 * @throws Interrupted if nothing was completed
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  jobs: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const queue = [...items.entries()]
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift())
      results[next[0]] = await work(next[1]).catch((error: unknown) => {
        queue.length = 0
        throw error
      })
  }
  const ended = await Promise.allSettled(Array.from({ length: jobs }, worker))
  const done = results.filter(() => true) // removes the gaps
  for (const one of ended)
    if (one.status === 'rejected' && !(one.reason instanceof Interrupted && done.length > 0)) throw one.reason
  return done
}

/** The message if not all runs were completed. */
export function interruptionMessage(done: number, total: number): string | undefined {
  return done < total ? `Interrupted after ${done} of ${total} runs.` : undefined
}

/** Marks a report as incomplete. CI systems see a failure. */
export function markIncomplete(report: Report, problem: string | undefined): Report {
  if (problem === undefined) return report
  const all = { name: 'all runs', failure: { message: problem, text: problem } }
  return {
    ...report,
    summary: `${report.summary}. ${problem}`,
    suites: [...report.suites, { name: 'interrupted', cases: [all] }],
  }
}

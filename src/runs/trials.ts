import type { Line, Report } from '../report/Report.ts'
import { excerpt } from './Output.ts'
import { Interrupted } from './runCommand.ts'
import { runAgainstSimulator, type Observed, type RunSettings } from './runAgainstSimulator.ts'

/** Options of matrix and sweep, which run a command several times under different conditions. */
export interface TrialSettings extends Pick<RunSettings, 'command' | 'signals' | 'simulator'> {
  /** Maximum number of concurrent runs */
  jobs: number
  /** Whether to show the output of a run on standard error when it ends, because runs are concurrent. */
  verbose?: boolean | undefined
  /** Called when a run ends. @param all total number of runs */
  onRun: (name: string, verdict: Line, durationMs: number, all: number) => void
}

/** The parts of a report that every run has. */
export interface Run {
  exitCode: number
  timedOut: boolean
  durationMs: number
  /** Number of requests */
  requests: number
  /** The lines of the output about the first failure, and the last lines */
  output: string[]
}

/** The overall result. */
export interface Result<Data> {
  data: Data
  report: Report
  passed: boolean
  /** The reason why the runs prove nothing, or not everything */
  problem?: string | undefined
}

/** Maximum number of records per run. Reports show those that explain a result */
const journal = 10_000

/** Runs the command once, and captures its output. @throws Interrupted */
export async function runTrial(
  { command, signals, simulator, verbose }: TrialSettings,
  name: string,
  circumstances: Pick<RunSettings, 'env' | 'timeout' | 'prepare' | 'kill' | 'rerunAfter'> &
    Partial<Pick<RunSettings, 'simulator'>>,
): Promise<Observed> {
  signals.throwIfReceived()
  const settings = { command, signals, simulator, journal, stdout: 'captured' } as const
  const trial = await runAgainstSimulator({ ...settings, ...circumstances })
  signals.throwIfReceived()
  if (verbose) show(`--- ${name}\n${trial.printed}`)
  return trial
}

/** The error of a run without any request */
export const nothingSent = 'The command sent no request, so nothing was tested. Does it use PROXYSIM_URL?'

export function runOf({ exitCode, timedOut, durationMs, printed, journal: { total } }: Observed): Run {
  return { exitCode, timedOut, durationMs, requests: total, output: excerpt(printed) }
}

/** Shows the output of a command. */
export function show(printed: string): void {
  if (printed.trim() !== '') process.stderr.write(`${printed.trimEnd()}\n`)
}

/**
 * Maps items concurrently, in order. After an error, no further items are started.
 * @returns the completed results, if it was interrupted
 * @throws Interrupted if nothing was completed
 */
export async function concurrently<T, R>(
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
export function interruptedAfter(done: number, all: number): string | undefined {
  return done < all ? `Interrupted after ${done} of ${all} runs.` : undefined
}

/** Marks a report as incomplete. CI systems see a failure. */
export function incomplete(report: Report, problem: string | undefined): Report {
  if (problem === undefined) return report
  const all = { name: 'all runs', failure: { message: problem, text: problem } }
  return {
    ...report,
    summary: `${report.summary}. ${problem}`,
    suites: [...report.suites, { name: 'interrupted', cases: [all] }],
  }
}

import type { Line, Report } from '../report/Report.ts'
import { excerpt } from './Output.ts'
import { Interrupted } from './runCommand.ts'
import { runAgainstSimulator, type Observed, type RunSettings } from './runAgainstSimulator.ts'

/** What matrix and sweep have in common: a command that runs several times, each time under other circumstances. */
export interface TrialSettings extends Pick<RunSettings, 'command' | 'signals' | 'simulator'> {
  /** How many at the same time */
  jobs: number
  /** Whether what a run printed is shown on standard error when it has ended: runs are concurrent. */
  verbose?: boolean | undefined
  /** Called when a run has ended. @param all how many there are */
  onRun: (name: string, verdict: Line, durationMs: number, all: number) => void
}

/** What reports say of every run. */
export interface Run {
  exitCode: number
  timedOut: boolean
  durationMs: number
  /** Number of requests */
  requests: number
  /** The lines that the command printed about its first failure, and the last lines */
  output: string[]
}

/** What all runs came to. */
export interface Result<Data> {
  data: Data
  report: Report
  passed: boolean
  /** Why they prove nothing, or not everything */
  problem?: string | undefined
}

/** Number of requests to keep, as a report shows those that tell why */
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

export function runOf({ exitCode, timedOut, durationMs, printed, journal: { total } }: Observed): Run {
  return { exitCode, timedOut, durationMs, requests: total, output: excerpt(printed) }
}

/** Shows what a command printed. */
export function show(printed: string): void {
  if (printed.trim() !== '') process.stderr.write(`${printed.trimEnd()}\n`)
}

/**
 * Maps items concurrently, in order. After an error, no further items are started.
 * @returns what was done until it was interrupted, if it was
 * @throws Interrupted if nothing was
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
  const done = results.filter(() => true) // without gaps
  for (const one of ended)
    if (one.status === 'rejected' && !(one.reason instanceof Interrupted && done.length > 0)) throw one.reason
  return done
}

/** What to say if not all runs were done. */
export function interruptedAfter(done: number, all: number): string | undefined {
  return done < all ? `Interrupted after ${done} of ${all} runs.` : undefined
}

/** A report of less than was asked for says so, and is no success to a CI system either. */
export function incomplete(report: Report, problem: string | undefined): Report {
  if (problem === undefined) return report
  const all = { name: 'all runs', failure: { message: problem, text: problem } }
  return {
    ...report,
    summary: `${report.summary}. ${problem}`,
    suites: [...report.suites, { name: 'interrupted', cases: [all] }],
  }
}

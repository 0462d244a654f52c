import type { Contract } from '../contract/Contract.ts'
import { UserError } from '../lib/UserError.ts'
import type { Line, Report } from '../report/Report.ts'
import { startServer } from '../server.ts'
import { localState } from '../Simulation.ts'
import type { SimulatorOptions } from '../SimulatorOptions.ts'
import type { World } from '../world/World.ts'
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
  /** The last lines that the command printed */
  output: string[]
}

/** What all runs came to. */
export interface Result<Data> {
  data: Data
  report: Report
  passed: boolean
  /** Why they prove nothing, if so */
  problem?: string | undefined
}

/** Number of requests to keep, as a report shows those that tell why */
const journal = 10_000

/** Lines of output to show */
const shownLines = 15

export type Trial = Observed & { run: Run }

/** Runs the command once, and captures its output. @returns undefined if it was interrupted */
export async function runTrial(
  { command, signals, simulator, verbose }: TrialSettings,
  name: string,
  circumstances: Pick<RunSettings, 'env' | 'timeout' | 'prepare'> & Partial<Pick<RunSettings, 'simulator'>>,
): Promise<Trial | undefined> {
  if (signals.received) return undefined
  const settings = { command, signals, simulator, journal, stdout: 'captured' } as const
  const observed = await runAgainstSimulator({ ...settings, ...circumstances })
  if (signals.received) return undefined
  const { exitCode, timedOut, durationMs, printed, seen } = observed
  if (verbose) show(`--- ${name}\n${printed}`)
  const output = printed.trim() === '' ? [] : printed.trimEnd().split(/\r?\n/).slice(-shownLines)
  return { ...observed, run: { exitCode, timedOut, durationMs, requests: seen.journal.total, output } }
}

/** Shows what a command printed. */
export function show(printed: string): void {
  if (printed.trim() !== '') process.stderr.write(`${printed.trimEnd()}\n`)
}

/** The contract, and the first account as every run finds it. @throws UserError if there is none */
export async function firstAccount(
  simulator: SimulatorOptions,
): Promise<{ contract: Contract; world: World }> {
  const { simulation, close } = await startServer(simulator)
  await close()
  const [world] = localState(simulation).accounts.values()
  if (!world) throw new UserError('The scenario has no account.')
  return { contract: simulation.contract, world }
}

/**
 * Maps items concurrently, in order. After an error, no further items are started.
 * @returns undefined if a result is, which means that it was interrupted
 */
export async function concurrently<T, R>(
  items: readonly T[],
  jobs: number,
  work: (item: T) => Promise<R | undefined>,
): Promise<R[] | undefined> {
  const results: (R | undefined)[] = []
  const queue = [...items.entries()]
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift())
      results[next[0]] = await work(next[1]).catch((error: unknown) => {
        queue.length = 0
        throw error
      })
  }
  const ended = await Promise.allSettled(Array.from({ length: jobs }, worker))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  return results.every((result) => result !== undefined) ? results : undefined
}

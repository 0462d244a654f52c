import { runAgainstSimulator, type Observed, type RunSettings } from './runAgainstSimulator.ts'

/** What matrix and sweep have in common: a command that runs several times, each time under other circumstances. */
export interface TrialSettings extends Pick<RunSettings, 'command' | 'signals' | 'simulator'> {
  /** How many at the same time */
  jobs: number
  /** Called with what a run printed, when it has ended: runs are concurrent. */
  onOutput: (name: string, printed: string) => void
}

/** Number of requests to keep, as a report shows those that tell why */
const journal = 10_000

/** Runs the command once, and captures its output. @returns undefined if it was interrupted */
export async function runTrial(
  { command, signals, simulator, onOutput }: TrialSettings,
  name: string,
  circumstances: Pick<RunSettings, 'env' | 'timeout' | 'prepare'> & Partial<Pick<RunSettings, 'simulator'>>,
): Promise<Observed | undefined> {
  if (signals.received) return undefined
  const observed = await runAgainstSimulator({
    command,
    signals,
    simulator,
    stdout: 'captured',
    journal,
    ...circumstances,
  })
  if (signals.received) return undefined
  onOutput(name, observed.printed)
  return observed
}

/**
 * Maps items concurrently, in order. As soon as one result is undefined or an error, no further items are started.
 * @returns the results that are there
 */
export async function concurrently<T, R>(
  items: readonly T[],
  jobs: number,
  work: (item: T) => Promise<R | undefined>,
): Promise<R[]> {
  const results: (R | undefined)[] = []
  const queue = items.entries()
  let isOver = false
  const worker = async (): Promise<void> => {
    for (const [at, item] of queue) {
      if (isOver) return
      results[at] = await work(item).catch((error: unknown) => {
        isOver = true
        throw error
      })
      isOver ||= results[at] === undefined
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(jobs, items.length) }, worker))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  return results.filter((result) => result !== undefined)
}

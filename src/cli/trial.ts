import { startServer } from '../server.ts'
import type { Simulation } from '../Simulation.ts'
import type { SimulatorOptions } from '../SimulatorOptions.ts'
import type { Observed } from '../sweep/sweep.ts'
import { environment } from './environment.ts'
import { Observer } from './Observer.ts'
import { runCommand } from './runCommand.ts'
import type { Signals } from './Signals.ts'

/** The result of running the command once. */
export interface Trial extends Pick<Observed, 'exitCode' | 'timedOut' | 'duration' | 'overhead' | 'output'> {
  /** Its requests */
  seen: Observer
}

export interface TrialOptions {
  command: readonly string[]
  simulator: SimulatorOptions
  /** In addition to the simulator's address and credentials */
  env: Record<string, string>
  /** Milliseconds */
  timeout: number
  /** Number of requests to keep */
  journal: number
  signals: Signals
  onOutput: (text: string) => void
  /** Runs before the command starts */
  prepare?: (simulation: Simulation) => void
}

/** Characters of output to keep */
const mostOutput = 32_768
/** Lines of it to show */
const shownLines = 15

/** Runs the command against its own simulator, and waits for its pending requests before returning. */
export async function trial(options: TrialOptions): Promise<Trial> {
  const { command, simulator, env, timeout, journal, signals, onOutput, prepare } = options
  const began = performance.now()
  const running = await startServer(simulator)
  let duration = 0
  try {
    const seen = new Observer(running.simulation, journal)
    prepare?.(running.simulation)
    let tail = ''
    const started = performance.now()
    const { code, timedOut } = await runCommand(command, {
      env: { ...environment(running), ...env },
      timeout,
      signals,
      onOutput: (text) => {
        tail = (tail + text).slice(-mostOutput)
        onOutput(text)
      },
    })
    duration = performance.now() - started
    await running.close()
    return {
      exitCode: code,
      timedOut,
      duration,
      overhead: performance.now() - began - duration,
      output: lastLines(tail),
      seen,
    }
  } finally {
    await running.close()
  }
}

function lastLines(text: string): string[] {
  const trimmed = text.trimEnd()
  return trimmed === '' ? [] : trimmed.split(/\r?\n/).slice(-shownLines)
}

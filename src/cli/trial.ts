import { startServer } from '../server.ts'
import type { Simulation } from '../Simulation.ts'
import type { LocalStore } from '../state/LocalStore.ts'
import type { LocalOptions } from '../SimulatorOptions.ts'
import { environment } from './environment.ts'
import { Observer } from './Observer.ts'
import { runCommand } from './runCommand.ts'
import type { Signals } from './Signals.ts'
import { Tail } from './Tail.ts'

/** How a run of the command went. */
export interface Trial {
  exitCode: number
  timedOut: boolean
  /** Milliseconds that the command took */
  duration: number
  /** Milliseconds that the simulator took besides, to start and to end */
  overhead: number
  /** The last lines that it printed */
  output: string[]
  /** All that it asked */
  seen: Observer
}

export interface TrialOptions {
  command: readonly string[]
  simulator: LocalOptions
  /** Beside what tells the command where the simulator is */
  env: Record<string, string>
  /** Milliseconds */
  timeout: number
  /** Requests that are kept */
  journal: number
  signals: Signals
  onOutput: (text: string) => void
  /** Done before the command starts */
  prepare?: (simulation: Simulation<LocalStore>) => void
}

/** Lines of the output that are kept */
const shownLines = 15

/** Runs the command against a simulator of its own. What it left under way is done when it is told of. */
export async function trial(options: TrialOptions): Promise<Trial> {
  const { command, simulator, env, timeout, journal, signals, onOutput, prepare } = options
  const began = performance.now()
  const running = await startServer(simulator)
  let duration = 0
  try {
    const seen = new Observer(running.simulation, journal)
    prepare?.(running.simulation)
    const tail = new Tail()
    const started = performance.now()
    const { code, timedOut } = await runCommand(command, {
      env: { ...environment(running), ...env },
      timeout,
      signals,
      onOutput: (text) => {
        tail.add(text)
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
      output: tail.lines(shownLines),
      seen,
    }
  } finally {
    await running.close()
  }
}

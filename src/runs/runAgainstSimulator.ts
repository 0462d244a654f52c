import type { Contract } from '../contract/Contract.ts'
import { startServer, type RunningSimulator } from '../server.ts'
import { localState, type Simulation } from '../Simulation.ts'
import type { SimulatorOptions } from '../SimulatorOptions.ts'
import { UserError } from '../lib/UserError.ts'
import type { World } from '../world/World.ts'
import { Observer } from './Observer.ts'
import { runCommand } from './runCommand.ts'
import type { Signals } from './Signals.ts'

/** What a command did when it was run once. */
export interface Observed {
  exitCode: number
  timedOut: boolean
  /** Milliseconds of the command itself */
  duration: number
  /** Milliseconds that the simulator took in addition, to start and stop */
  overhead: number
  /** The last lines of its output, if it was captured */
  output: string[]
  /** Its requests */
  seen: Observer
  /** The simulator, which has stopped */
  simulation: Simulation
}

export interface RunSettings {
  command: readonly string[]
  simulator: SimulatorOptions
  /** In addition to the simulator's address and credentials */
  env?: Record<string, string>
  /** Milliseconds; undefined: as long as it takes */
  timeout?: number
  /** Number of requests to keep */
  journal: number
  signals: Signals
  /** Receives the output. Without it, the command has ours, and our input */
  onOutput?: (text: string) => void
  /** Where its standard output goes if it isn't captured. @default 'inherit' */
  stdout?: 'inherit' | 'stderr'
  /** Runs before the command starts */
  prepare?: (running: RunningSimulator) => void
}

/** Characters of output to keep */
const mostOutput = 32_768
/** Lines of it to show */
const shownLines = 15

/** Runs a command against a simulator of its own, and waits for its pending requests before returning. */
export async function runAgainstSimulator(settings: RunSettings): Promise<Observed> {
  const { command, simulator, env, journal, onOutput, prepare, ...options } = settings
  const began = performance.now()
  const running = await startServer(simulator)
  const { simulation } = running
  try {
    const seen = new Observer(simulation, journal)
    prepare?.(running)
    let tail = ''
    const started = performance.now()
    const { code, timedOut } = await runCommand(command, {
      ...options,
      env: { ...environment(running), ...env },
      ...(onOutput && {
        onOutput: (text: string) => {
          tail = (tail + text).slice(-mostOutput)
          onOutput(text)
        },
      }),
    })
    const duration = performance.now() - started
    await running.close()
    const overhead = performance.now() - began - duration
    return { exitCode: code, timedOut, duration, overhead, output: lastLines(tail), seen, simulation }
  } finally {
    await running.close()
  }
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

/** The simulator's URL, and the first account. */
function environment({ url, simulation }: RunningSimulator): Record<string, string> {
  const [login = '', world] = [...localState(simulation).accounts][0] ?? []
  return { PROXYSIM_URL: url, PROXYSIM_LOGIN: login, PROXYSIM_PASSWORD: world?.password ?? '' }
}

function lastLines(text: string): string[] {
  const trimmed = text.trimEnd()
  return trimmed === '' ? [] : trimmed.split(/\r?\n/).slice(-shownLines)
}

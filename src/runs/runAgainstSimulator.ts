import type { Contract } from '../contract/Contract.ts'
import { UserError } from '../lib/UserError.ts'
import { startServer, type RunningSimulator } from '../server.ts'
import { localState, type Simulation } from '../Simulation.ts'
import type { SimulatorOptions } from '../SimulatorOptions.ts'
import type { World } from '../world/World.ts'
import { Observer } from './Observer.ts'
import { runCommand, type CommandOptions, type Ended } from './runCommand.ts'

/** What a command did when it was run once. */
export interface Observed extends Ended {
  /** Milliseconds of the command itself */
  durationMs: number
  /** The last lines of what it printed, if that was captured */
  output: string[]
  /** Its requests */
  seen: Observer
  /** The simulator, which has stopped */
  simulation: Simulation
}

export interface RunSettings extends Omit<CommandOptions, 'env'> {
  command: readonly string[]
  simulator: SimulatorOptions
  /** In addition to the simulator's address and credentials */
  env?: Record<string, string>
  /** Number of requests to keep */
  journal: number
  /** Runs before the command starts */
  prepare?: (simulation: Simulation) => void
}

/** Lines of output to show */
const shownLines = 15

/** Runs a command against a simulator of its own, and waits for its pending requests before returning. */
export async function runAgainstSimulator(settings: RunSettings): Promise<Observed> {
  const { command, simulator, env, journal, prepare, ...options } = settings
  const running = await startServer(simulator)
  const { simulation } = running
  try {
    const seen = new Observer(simulation, journal)
    prepare?.(simulation)
    const began = performance.now()
    const ended = await runCommand(command, { ...options, env: { ...environment(running), ...env } })
    const durationMs = Math.round(performance.now() - began)
    return { ...ended, durationMs, output: lastLines(ended.printed), seen, simulation }
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

import { Findings } from '../findings/findings.ts'
import { Coverage, responseName } from '../journal/Coverage.ts'
import { Journal } from '../journal/Journal.ts'
import { startServer } from '../server.ts'
import { localState, type Simulation } from '../Simulation.ts'
import type { SimulatorOptions } from '../SimulatorOptions.ts'
import { Effects } from './Effects.ts'
import { runCommand, type CommandOptions, type Ended } from './runCommand.ts'

export interface RunSettings extends Omit<CommandOptions, 'env'> {
  command: readonly string[]
  simulator: SimulatorOptions
  /** In addition to the simulator's address and the first account's credentials */
  env?: Record<string, string>
  /** Number of requests to keep */
  journal: number
  /** Runs before the command starts */
  prepare?: (simulation: Simulation) => void
}

/** What a command did when it was run once, and the simulator, which has stopped. */
export interface Observed extends Ended {
  seen: Seen
  simulation: Simulation
}

/** Runs a command against a simulator of its own, and waits for its pending requests before returning. */
export async function runAgainstSimulator(settings: RunSettings): Promise<Observed> {
  const { command, simulator, env, journal, prepare, ...options } = settings
  const { simulation, url, close } = await startServer(simulator)
  const seen = observe(simulation, journal)
  const [login = '', world] = [...localState(simulation).accounts][0] ?? []
  const access = { PROXYSIM_URL: url, PROXYSIM_LOGIN: login, PROXYSIM_PASSWORD: world?.password ?? '' }
  prepare?.(simulation)
  try {
    const ended = await runCommand(command, { ...options, env: { ...access, ...env } })
    return { ...ended, seen, simulation }
  } finally {
    await close()
  }
}

export type Seen = ReturnType<typeof observe>

/**
 * Observes all requests of a command, across the resets and loads that it makes.
 * @param limit number of requests to keep; what is derived from them is of all
 */
export function observe(simulation: Simulation, limit: number) {
  const { contract, store } = simulation
  const coverage = new Coverage(contract)
  const seen = {
    journal: new Journal(limit),
    coverage: () => coverage.report([...localState(simulation).accounts.values()]),
    findings: new Findings(contract),
    effects: new Effects(contract),
    /** Operations called, whatever the response, and even if there was none */
    called: new Set<string>(),
    /** Those called with accepted credentials, in the order of their first calls */
    letIn: new Set<string>(),
  }
  store.on((event) => {
    if (event.type !== 'request') return
    const { record } = event
    const { operation, account } = record
    seen.journal.add(record)
    coverage.add(account, responseName(record))
    seen.findings.add(record)
    seen.effects.add(record)
    if (operation === null) return
    seen.called.add(operation)
    if (account !== null) seen.letIn.add(operation)
  })
  return seen
}

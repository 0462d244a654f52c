import type { Contract } from '../../contract/Contract.ts'
import {
  Findings,
  Coverage,
  coverageKey,
  Journal,
  startServer,
  localState,
  type Simulation,
  type SimulatorOptions,
  type World,
} from '../simulator.ts'
import { counted } from '../../lib/text.ts'
import { UserError } from '../../lib/UserError.ts'
import { ClientChanges } from './ClientChanges.ts'
import { runCommand, type CommandOptions, type CommandResult } from './runCommand.ts'

export interface RunSettings extends Omit<CommandOptions, 'env'> {
  command: readonly string[]
  simulator: SimulatorOptions
  /** Further variables, besides the simulator's address and the first account's credentials */
  env?: Record<string, string>
  /** Maximum number of requests in the journal */
  journal: number
}

/** The result and effects of a command, and its simulator, which has stopped. */
export interface ObservedRun extends CommandResult, Observations {
  simulation: Simulation
}

/** Runs a command against its own simulator. Pending requests end before it returns. */
export async function runAgainstSimulator(settings: RunSettings): Promise<ObservedRun> {
  return withSimulator(settings, async ({ simulation, run }) => {
    const observations = observe(simulation, settings.journal)
    return Object.assign(observations, await run(), { simulation })
  })
}

/** A simulator, and a function that runs the command against it. */
export interface StartedSimulator {
  simulation: Simulation
  /** Runs the command. @param options replace those of the simulator */
  run: (options?: Partial<CommandOptions>) => Promise<CommandResult>
}

/** Starts a simulator for one or more runs of a command. Pending requests end before it returns. */
export async function withSimulator<T>(
  { command, simulator, env, journal: _journal, ...options }: RunSettings,
  work: (started: StartedSimulator) => Promise<T>,
): Promise<T> {
  const { simulation, url, close } = await startServer(simulator)
  const [login = '', world] = [...localState(simulation).accounts][0] ?? []
  const variables = {
    PROXYSIM_LOGIN: login,
    PROXYSIM_PASSWORD: world?.password ?? '',
    ...withoutProxy(new URL(url).hostname),
    ...env,
  }
  const run: StartedSimulator['run'] = (changes = {}) =>
    runCommand(command, {
      ...options,
      ...changes,
      env: { PROXYSIM_URL: url, ...variables, ...changes.env },
    })
  try {
    return await work({ simulation, run })
  } finally {
    await close()
  }
}

/** Returns the contract, and the first account at the start of each run. @throws UserError if there is no account */
export async function readFirstAccount(
  simulator: SimulatorOptions,
): Promise<{ contract: Contract; world: World }> {
  const { simulation, close } = await startServer(simulator)
  await close()
  const [world] = localState(simulation).accounts.values()
  if (!world)
    throw new UserError('The scenario has no account.', { advice: 'Choose a scenario with an account.' })
  return { contract: simulation.contract, world }
}

/** Describes the requests that were refused before they reached the API; undefined if there were none. */
export function describeUnreached({
  simulation,
  journal: { total },
}: Pick<ObservedRun, 'simulation' | 'journal'>): string | undefined {
  const { count, last } = simulation.refused.report('start')
  if (!last[0]) return undefined
  const all = counted(count, 'request')
  const sentence =
    total === 0 ? `The command sent ${all}, but none reached the API` : `${all} never reached the API`
  return `${sentence}. The last one: ${last[0].reason}`
}

/** Variables that stop clients from using a proxy for a host. Some clients prefer upper case, others lower case. */
function withoutProxy(host: string): Record<string, string> {
  const { NO_PROXY: upper, no_proxy: lower } = process.env
  const add = (hosts = ''): string => (hosts.trim() === '*' ? '*' : [hosts, host].filter(Boolean).join(','))
  return { NO_PROXY: add(upper || lower), no_proxy: add(lower || upper) }
}

export interface Observations extends ReturnType<typeof observe> {}

/**
 * Observes all requests of a command, across its resets and loads.
 * @param limit maximum number of stored records; totals include all requests
 */
export function observe(simulation: Simulation, limit: number) {
  const { contract, store } = simulation
  const coverage = new Coverage(contract)
  const observed = {
    journal: new Journal(limit),
    /** Number of requests with an error as the response */
    refused: 0,
    coverage: () => coverage.report([...localState(simulation).accounts.values()]),
    findings: new Findings(contract),
    changes: new ClientChanges(contract),
    /** Operations called, even without a response */
    called: new Set<string>(),
    /** Operations called with valid credentials, in the order of their first calls */
    authenticated: new Set<string>(),
    /** Ignores further requests. */
    end: () => {
      isOver = true
    },
  }
  let isOver = false
  store.on((event) => {
    if (event.type !== 'request' || isOver) return
    const { record } = event
    const { operation, account, status } = record
    observed.journal.add(record)
    if (status !== null && status >= 400) observed.refused++
    coverage.add(account, coverageKey(record))
    observed.findings.add(record)
    observed.changes.add(record)
    if (operation === null) return
    observed.called.add(operation)
    if (account !== null) observed.authenticated.add(operation)
  })
  return observed
}

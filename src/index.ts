// Loads Node's timers now. Modules that are imported later get these timers, even if a test has replaced the global ones.
import 'node:timers'
import 'node:timers/promises'
import { checkOptions, type SimulatorOptions } from './SimulatorOptions.ts'
import { pemText } from './http/tls.ts'
import { callTimeout, ControlPlane, type UrlLike } from './client/ControlPlane.ts'
import { createHandle } from './client/createHandle.ts'
import type { ScenarioInput, ScenarioRef, StartedSimulator } from './client/SimulatorHandle.ts'

export { SimulatorError } from './client/SimulatorError.ts'
export { ScenarioError } from './scenario/ScenarioError.ts'
export { UserError, type ErrorCode } from './lib/UserError.ts'
export type * from './contract/shapes.ts'
export type { Finding, FindingName } from './findings/findings.ts'
export type { CommonCase, CustomResponse, FaultName, FaultOptions } from './client/FaultOptions.ts'
export type {
  Account,
  AccountScope,
  ClockControls,
  ScenarioNameOf,
  RequestFilter,
  ScenarioFile,
  ScenarioInput,
  ScenarioName,
  ScenarioRef,
  SimulatorHandle,
  StartedSimulator,
  AccountControls,
  AccountPatch,
} from './client/SimulatorHandle.ts'
export type { CaseName, CaseOf, OperationId } from './contract/cases.gen.ts'
export type { components, operations, paths } from './contract/openapi.gen.ts'
export type { Override, OverrideCall, OverrideResponse, Overrides } from './http/overrides.ts'
export type { Issue } from './lib/Issue.ts'
export type { ScenarioAccount, ScenarioDocument } from './scenario/ScenarioDocument.ts'
export type { ScenarioNames } from './scenario/scenarioNames.gen.ts'
export type { LogLevel, SimulatorOptions } from './SimulatorOptions.ts'
export type { PatchOf } from './world/World.ts'

/** Options of a simulator in this process. By default, it stores its state in memory and listens on a free port. */
export interface StartOptions<Name extends string = string> extends Omit<SimulatorOptions, 'scenario'> {
  /**
   * A scenario's name, a file, or the scenario itself
   * @default 'default'
   */
  scenario?: ScenarioRef<Name> | ScenarioInput
}

/**
 * Starts a simulator in this process. `await using` closes it at the end of the scope.
 * @throws UserError (see its `code`) if the port is taken, an option is invalid or the scenario is unknown;
 *   ScenarioError if a scenario file is invalid, SimulatorError if an inline scenario is
 * @example
 * await using sim = await startSimulator({ scenario: 'low-funds' })
 * const response = await fetch(`${sim.url}/api/clients`, { headers: { authorization: sim.authorization() } })
 */
export async function startSimulator<const Name extends string = string>(
  options: StartOptions<Name> = {},
): Promise<StartedSimulator> {
  checkOptions(options) // checked here too, because an inline scenario isn't passed to the server
  const { scenario, ...rest }: Omit<SimulatorOptions, 'scenario'> & { scenario?: string | ScenarioInput } =
    options
  // Imported lazily, because clients that only connect don't need the server.
  const { startServer } = await import('./server.ts')
  const { url, close } = await startServer(typeof scenario === 'string' ? { ...rest, scenario } : rest)
  try {
    const certificate = rest.tls && pemText(rest.tls.cert)
    const handle = await createHandle(new ControlPlane(url, { token: rest.adminToken, certificate }))
    if (typeof scenario === 'object') await handle.load(scenario)
    return { ...handle, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Connects to a running simulator. `close()` and `await using` don't stop it, because this handle didn't start it.
 * @param options `adminToken`: the simulator's token, if it has one
 * @throws UserError (`ERR_PROXYSIM_UNREACHABLE`) if no simulator answers at the URL, SimulatorError (401) if the token
 * is wrong
 * @example
 * await using sim = await connectSimulator('http://127.0.0.1:4010')
 */
export async function connectSimulator(
  url: string | UrlLike,
  options: { adminToken?: string } = {},
): Promise<StartedSimulator> {
  const handle = await createHandle(
    new ControlPlane(url, { token: options.adminToken, timeout: callTimeout }),
  )
  const close = async (): Promise<void> => {}
  return { ...handle, close, [Symbol.asyncDispose]: close }
}

/**
 * Connects to the simulator at `PROXYSIM_URL` (set by `proxysim exec`, `matrix` and `sweep`), with `PROXYSIM_ADMIN_TOKEN` if set;
 * otherwise starts one. The same tests therefore run on their own and under `exec`.
 * @param options only used if a simulator is started, but always validated, except that the scenario may not exist
 * @throws the errors of `connectSimulator` and `startSimulator`
 * @example
 * await using sim = await openSimulator()
 * await using account = await sim.createAccount({ scenario: 'low-funds' })
 */
export async function openSimulator<const Name extends string = string>(
  options: StartOptions<Name> = {},
): Promise<StartedSimulator> {
  const { PROXYSIM_URL: url, PROXYSIM_ADMIN_TOKEN: adminToken } = process.env
  if (!url) return startSimulator(options)
  checkOptions(options) // checked in both cases, so that mistakes show up early
  const sim = await connectSimulator(url, adminToken ? { adminToken } : {})
  const ignored = Object.entries(startFlags).filter(
    ([name]) => options[name as keyof StartOptions] !== undefined,
  )
  if (ignored.length > 0)
    process.emitWarning(
      `The simulator at ${url} is already running, so these options of openSimulator have no effect: ${ignored.map(([name]) => name).join(', ')}. Pass them to the command that started it: ${ignored.map(([, flag]) => flag).join(', ')}.`,
      { code: 'PROXYSIM_OPTIONS' },
    )
  return sim
}

/** Options that change responses, which a running simulator can't take, and their flags */
const startFlags = {
  scenario: 'exec --scenario NAME',
  scenarios: 'exec --scenarios DIR',
  assumptions: '--assume ID=VALUE',
  overrides: '--override FILE',
  explain: '--no-explain',
} as const

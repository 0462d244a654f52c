import { ControlPlane } from './client/ControlPlane.ts'
import { createHandle } from './client/createHandle.ts'
import type { ScenarioInput, StartedSimulator } from './client/SimulatorHandle.ts'
import type { SimulatorOptions } from './SimulatorOptions.ts'

export { connectSimulator } from './client/connectSimulator.ts'
export type { Issue } from './Issue.ts'
export { SimulatorError } from './client/SimulatorError.ts'
export { UserError } from './UserError.ts'
export type { CommonCase, CustomAnswer, FaultOptions } from './client/FaultOptions.ts'
export type {
  Account,
  AccountScope,
  AccountSummary,
  ArmedFault,
  ClockControls,
  Loaded,
  Patch,
  RequestFilter,
  RequestList,
  ScenarioInput,
  SimulatorHandle,
  StartedSimulator,
  WorldControls,
} from './client/SimulatorHandle.ts'
export type { CaseName, CaseOf, OperationId } from './contract/cases.gen.ts'
export type { Assumption } from './contract/Contract.ts'
export type { components, operations, paths } from './contract/openapi.gen.ts'
export type { CoveredResponse, CoverageReport } from './journal/Coverage.ts'
export type { Finding, FindingName } from './journal/findings.ts'
export type { JournalEntry } from './journal/JournalEntry.ts'
export type { ClockReading } from './state/clock.ts'
export type { ScenarioAccount, ScenarioDocument } from './scenario/ScenarioDocument.ts'
export type { Fault, World } from './world/World.ts'

/** How a simulator is started in this process: in memory and on a free port, unless it is said otherwise. */
export interface StartOptions extends Omit<SimulatorOptions, 'scenario'> {
  /** A scenario's name, a file, or the scenario itself: `default` */
  scenario?: string | ScenarioInput
}

/**
 * Starts a simulator in this process. `await using` closes it at the end of the scope.
 * @throws UserError where a port is taken, or a scenario unknown or wrong; SimulatorError where the one given is wrong
 */
export async function startSimulator({ scenario, ...rest }: StartOptions = {}): Promise<StartedSimulator> {
  // Who only connects does not load the server.
  const { startServer } = await import('./server.ts')
  const { url, simulation, close } = await startServer(
    typeof scenario === 'string' ? { ...rest, scenario } : rest,
  )
  const { store } = simulation
  const handle = createHandle(new ControlPlane(url, rest.adminToken), {
    logins: () => Object.keys(store.state.accounts),
    of: (login) => store.world(login)?.password,
    learn: async () => {},
  })
  try {
    if (typeof scenario === 'object') await handle.load(scenario)
  } catch (error) {
    await close()
    throw error
  }
  return { ...handle, close, [Symbol.asyncDispose]: close }
}

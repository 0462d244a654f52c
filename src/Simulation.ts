import type { Logger } from 'pino'
import type { Contract } from './contract/Contract.ts'
import type { Injection } from './http/Injection.ts'
import type { ApiRequest } from './http/parseRequest.ts'
import type { LoadedOverrides } from './http/overrides.ts'
import type { RefusedRequests } from './journal/RefusedRequests.ts'
import { buildWorlds } from './scenario/buildWorld.ts'
import type { Scenario, ScenarioLibrary } from './scenario/ScenarioLibrary.ts'
import type { LocalStore } from './store/LocalStore.ts'
import type { State } from './store/State.ts'
import type { Store } from './store/Store.ts'
import { realTime } from './world/time.ts'

/** Chooses a fault for a request that has arrived, and may delay it. */
export type Inject = (call: ApiRequest, login: string | undefined) => Promise<Injection | undefined>

/** The simulator without sockets: contract, scenarios and state. */
export interface Simulation {
  readonly contract: Contract
  readonly library: ScenarioLibrary
  readonly store: Store
  readonly log: Logger
  /** Requests that the HTTP server refused. The journal contains the requests that reached the API */
  readonly refused: RefusedRequests
  /** Whether refusals include the reason (`Sim-Case`, `Sim-Reason`) */
  readonly explain: boolean
  /** Whether the simulator serves `https://` */
  readonly isEncrypted: boolean
  /** Replacements for responses of the API, if any */
  readonly overrides: LoadedOverrides | undefined
  /** Set by `sweep`, which counts calls across resets and accounts */
  inject?: Inject
  /** While true, requests are still handled, but the health check fails so that load balancers move on */
  isDraining: boolean
  /** Aborted when the simulator stops, to end delays and waits */
  readonly stopping: AbortController
}

/** Loads a scenario, and clears journal and coverage. @throws StorageError if it can't be stored; nothing has changed then */
export async function load(
  { store, refused }: Pick<Simulation, 'store' | 'refused'>,
  scenario: Scenario,
): Promise<void> {
  await store.replace(await createState(scenario))
  refused.clear()
}

/** The current state of a simulator with a local store, without waiting. */
export function localState({ store }: Simulation): State {
  return (store as LocalStore).currentState()
}

/** The initial state of a scenario, starting now. */
export async function createState({ name, document }: Scenario): Promise<State> {
  return { scenario: { name, document }, accounts: await buildWorlds(document, realTime()) }
}

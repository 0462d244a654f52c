import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import type { Contract } from './contract/Contract.ts'
import type { Validator } from './contract/validator/createValidator.ts'
import { realTime } from './world/time.ts'
import { buildWorlds } from './scenario/buildWorld.ts'
import type { Scenario, ScenarioLibrary } from './scenario/ScenarioLibrary.ts'
import type { State } from './store/State.ts'
import type { Store } from './store/Store.ts'

export interface SimulationSettings {
  contract: Contract
  /** May still be compiling; the first request waits for it */
  validator: Promise<Validator>
  library: ScenarioLibrary
  store: Store
  log: Logger
  /** Whether refusals say why (`Sim-Case`, `Sim-Reason`) */
  explain: boolean
}

/** The simulator without sockets: contract, scenarios and state. */
export class Simulation {
  readonly contract: Contract
  readonly validator: Promise<Validator>
  readonly library: ScenarioLibrary
  readonly store: Store
  readonly log: Logger
  readonly explain: boolean
  /** Still handles requests, but reports unhealthy so that load balancers move on */
  isDraining = false
  /** Aborted when the simulator stops, to end delays and waits */
  readonly stopping = new AbortController()

  constructor({ contract, validator, library, store, log, explain }: SimulationSettings) {
    setMaxListeners(0, this.stopping.signal) // no limit on waiting requests
    this.contract = contract
    this.validator = validator
    validator.catch(() => {}) // every request gets this error
    this.library = library
    this.store = store
    this.log = log
    this.explain = explain
  }

  /** Loads a scenario; clears journal and coverage. @throws StorageError if nothing changed */
  async load(scenario: Scenario): Promise<void> {
    await this.store.replace(await stateOf(scenario))
  }

  /** Loads the current scenario again. @throws StorageError if nothing changed */
  async reset(): Promise<void> {
    await this.load(await this.store.scenario())
  }
}

/** The state of a simulator in this process, which is at hand. */
export function localState({ store }: Simulation): State {
  return store.state() as State
}

/** The initial state of a scenario, starting now. */
export async function stateOf({ name, document }: Scenario): Promise<State> {
  return { scenario: { name, document }, accounts: await buildWorlds(document, realTime()) }
}

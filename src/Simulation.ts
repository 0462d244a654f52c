import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import type { Metrics } from './http/Metrics.ts'
import type { Contract } from './contract/Contract.ts'
import type { Validator } from './contract/validator/createValidator.ts'
import { realTime } from './state/clock.ts'
import { buildWorlds } from './scenario/buildWorld.ts'
import type { Scenario, ScenarioLibrary } from './scenario/ScenarioLibrary.ts'
import type { State } from './state/State.ts'
import type { Store } from './state/Store.ts'

export interface SimulationSettings<S extends Store> {
  contract: Contract
  /** May still be compiling; the first request waits for it. */
  validator: Promise<Validator>
  library: ScenarioLibrary
  store: S
  log: Logger
  /** Whether refusals say why (`Sim-Case`, `Sim-Reason`) */
  explain: boolean
  /** Undefined: nothing is counted */
  metrics?: Metrics | undefined
}

/** The simulator without its sockets: contract, scenarios and state. */
export class Simulation<S extends Store = Store> {
  readonly contract: Contract
  readonly validator: Promise<Validator>
  /** The validator, once it is there: then no request has to wait a turn for it. */
  ready: Validator | undefined
  readonly library: ScenarioLibrary
  readonly store: S
  readonly log: Logger
  readonly explain: boolean
  readonly metrics: Metrics | undefined
  /** It still answers, and tells whoever asks for its health to go elsewhere. */
  isDraining = false
  /** Aborted when the simulator stops: delays and waits end. */
  readonly stopping = new AbortController()

  constructor({ contract, validator, library, store, log, explain, metrics }: SimulationSettings<S>) {
    setMaxListeners(0, this.stopping.signal) // however many requests wait at a time
    this.contract = contract
    this.validator = validator
    void this.#awaitValidator()
    this.library = library
    this.store = store
    this.log = log
    this.explain = explain
    this.metrics = metrics
  }

  async #awaitValidator(): Promise<void> {
    try {
      this.ready = await this.validator
    } catch {
      // each request is told
    }
  }

  /** Loads a scenario: state, journal, coverage and faults begin anew. @throws StorageError: nothing changed */
  async load(scenario: Scenario): Promise<void> {
    await this.store.replace(await stateOf(scenario))
  }

  /** Loads the present scenario again. @throws StorageError: nothing changed */
  async reset(): Promise<void> {
    await this.load(await this.store.scenario())
  }
}

/** The state that a scenario describes, now. */
export async function stateOf({ name, document }: Scenario): Promise<State> {
  return { scenario: { name, document }, accounts: await buildWorlds(document, realTime()) }
}

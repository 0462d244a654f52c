import type { Logger } from 'pino'
import type { Contract } from './contract/Contract.ts'
import type { Validator } from './contract/validate.ts'
import { Coverage } from './journal/Coverage.ts'
import { Journal, type Kept } from './journal/Journal.ts'
import { realTime } from './state/clock.ts'
import { buildWorlds } from './state/scenario/buildWorld.ts'
import type { Scenario, ScenarioLibrary } from './state/scenario/ScenarioLibrary.ts'
import type { State } from './state/State.ts'
import type { Store } from './state/Store.ts'

/** What happens, as the event stream tells it. */
export type SimulationEvent =
  | { type: 'request'; kept: Kept }
  | { type: 'change'; account: string; change: unknown }
  | { type: 'reset'; scenario: string }

/** Everything that a reset begins anew. A request holds the run that it began in. */
export interface Run {
  journal: Journal
  coverage: Coverage
}

export interface SimulationSettings {
  contract: Contract
  /** May still be compiling; the first request waits for it. */
  validator: Promise<Validator>
  library: ScenarioLibrary
  store: Store
  log: Logger
  /** Entries that the journal keeps */
  journal: number
  /** Whether refusals say why (`Sim-Case`, `Sim-Reason`) */
  explain: boolean
}

/** The simulator without its sockets: contract, state and what was seen of the requests. */
export class Simulation {
  readonly contract: Contract
  readonly validator: Promise<Validator>
  /** The validator, once it is there: then no request has to wait a turn for it. */
  ready: Validator | undefined
  readonly library: ScenarioLibrary
  readonly store: Store
  readonly log: Logger
  readonly explain: boolean
  /** Aborted when the simulator stops: delays and waits end. */
  readonly stopping = new AbortController()
  run: Run
  readonly #journalLimit: number
  readonly #listeners = new Set<(event: SimulationEvent) => void>()
  readonly #snapshots = new Map<string, string>()
  #lastRequest = 0
  #lastSnapshot = 0

  constructor({ contract, validator, library, store, log, journal, explain }: SimulationSettings) {
    this.contract = contract
    this.validator = validator
    validator.then(
      (ready) => {
        this.ready = ready
      },
      () => {}, // each request is told
    )
    this.library = library
    this.store = store
    this.log = log
    this.explain = explain
    this.#journalLimit = journal
    this.run = this.#newRun()
    store.onChange((account, change) => this.emit({ type: 'change', account, change }))
  }

  /** The next request's id; ids go on over resets, so that two runs are never mixed up. */
  nextRequestId(): number {
    return ++this.#lastRequest
  }

  /** Loads a scenario: state, journal, coverage and faults begin anew. @throws StorageError */
  async load(scenario: Scenario): Promise<void> {
    this.store.replace(await stateOf(scenario))
    await this.#began()
  }

  /** Loads the present scenario again. @throws StorageError */
  async reset(): Promise<void> {
    await this.load(this.store.state.scenario)
  }

  async #began(): Promise<void> {
    this.run = this.#newRun()
    await this.store.flushed()
    this.emit({ type: 'reset', scenario: this.store.state.scenario.name })
  }

  /** Empties the journal; coverage stays. */
  clearJournal(): void {
    this.run = { ...this.run, journal: new Journal(this.#journalLimit) }
  }

  /** Keeps the present state. */
  snapshot(): { id: string; time: string; scenario: string } {
    const id = `s${++this.#lastSnapshot}`
    this.#snapshots.set(id, JSON.stringify(this.store.state))
    return { id, time: new Date(realTime()).toISOString(), scenario: this.store.state.scenario.name }
  }

  get snapshots(): string[] {
    return [...this.#snapshots.keys()]
  }

  /** Goes back to a kept state; undefined where there is none of that name. @throws StorageError */
  async restore(id: string): Promise<{ id: string; scenario: string } | undefined> {
    const kept = this.#snapshots.get(id)
    if (kept === undefined) return undefined
    const state = JSON.parse(kept) as State
    this.store.replace(state)
    await this.store.flushed()
    this.emit({ type: 'reset', scenario: state.scenario.name })
    return { id, scenario: state.scenario.name }
  }

  on(listener: (event: SimulationEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(event: SimulationEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  #newRun(): Run {
    return { journal: new Journal(this.#journalLimit), coverage: new Coverage(this.contract) }
  }
}

/** The state that a scenario describes, now. */
export async function stateOf({ name, document }: Scenario): Promise<State> {
  return { scenario: { name, document }, accounts: await buildWorlds(document, realTime()) }
}

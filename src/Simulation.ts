import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import type { Contract } from './contract/Contract.ts'
import type { Validator } from './contract/validator/createValidator.ts'
import { Coverage } from './journal/Coverage.ts'
import { Journal, type JournalRecord } from './journal/Journal.ts'
import { realTime } from './state/clock.ts'
import { buildWorlds } from './scenario/buildWorld.ts'
import type { Scenario, ScenarioLibrary } from './scenario/ScenarioLibrary.ts'
import { Snapshots, type Snapshot } from './state/Snapshots.ts'
import type { State } from './state/State.ts'
import type { Store } from './state/Store.ts'
import type { World } from './world/World.ts'

/** What happens, as the event stream tells it. */
export type SimulationEvent =
  | { type: 'request'; record: JournalRecord }
  /** A merge patch on a world; `{}` where the account is new, null where it is gone. */
  | { type: 'change'; account: string; change: unknown }
  | { type: 'reset'; scenario: string }
  /** The journal was emptied. */
  | { type: 'cleared' }

/** Everything that a reset begins anew. A request holds the run that it began in. */
export interface Observations {
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
  observations: Observations
  readonly #journalLimit: number
  readonly #listeners = new Set<(event: SimulationEvent) => void>()
  readonly #snapshots = new Snapshots()
  #lastRequest = 0
  #era = 0
  readonly #eras = new Map<string, number>()

  constructor({ contract, validator, library, store, log, journal, explain }: SimulationSettings) {
    setMaxListeners(0, this.stopping.signal) // however many requests wait at a time
    this.contract = contract
    this.validator = validator
    void this.#awaitValidator()
    this.library = library
    this.store = store
    this.log = log
    this.explain = explain
    this.#journalLimit = journal
    this.observations = this.#newObservations()
    store.onChange((account, change) => this.emit({ type: 'change', account, change }))
  }

  async #awaitValidator(): Promise<void> {
    try {
      this.ready = await this.validator
    } catch {
      // each request is told
    }
  }

  /** The next request's id; ids go on over resets, so that two runs are never mixed up. */
  nextRequestId(): number {
    return ++this.#lastRequest
  }

  /** Which life of an account's world it is; findings never look from one into another. */
  eraOf(login: string | undefined): number {
    return this.#era + ((login !== undefined && this.#eras.get(login)) || 0)
  }

  /** A world was put back to what it had been, or all were: what follows is another life. */
  beginEra(login?: string): void {
    if (login === undefined) this.#era++
    else this.#eras.set(login, (this.#eras.get(login) ?? 0) + 1)
  }

  /** Loads a scenario: state, journal, coverage and faults begin anew. @throws StorageError: nothing changed */
  async load(scenario: Scenario): Promise<void> {
    await this.#begin(await stateOf(scenario), this.#newObservations())
  }

  /** Loads the present scenario again. @throws StorageError: nothing changed */
  async reset(): Promise<void> {
    await this.load(this.store.state.scenario)
  }

  /**
   * State and run change in one step: a request under way holds a world that is nobody's any more and writes to a
   * journal that nobody reads.
   */
  async #begin(state: State, observations: Observations): Promise<void> {
    const before = this.observations
    this.store.replace(state)
    this.observations = observations
    this.beginEra()
    try {
      await this.store.flushed()
    } catch (error) {
      this.observations = before
      throw error
    }
    this.emit({ type: 'reset', scenario: state.scenario.name })
  }

  /** Empties the journal; coverage stays. */
  clearJournal(): void {
    this.observations.journal.clear()
    this.emit({ type: 'cleared' })
  }

  /** Adds an account; it lasts when the store is flushed. */
  addAccount(login: string, world: World): void {
    this.store.setAccount(login, world)
    this.emit({ type: 'change', account: login, change: {} })
  }

  /** Takes an account away with all that it owns. */
  removeAccount(login: string): void {
    this.store.setAccount(login, null)
    this.emit({ type: 'change', account: login, change: null })
  }

  /** Keeps the present state. */
  snapshot(): Snapshot {
    return this.#snapshots.take(this.store.state, realTime())
  }

  /** What is kept, the oldest first. */
  get snapshots(): Snapshot[] {
    return this.#snapshots.list()
  }

  /** Goes back to a kept state; undefined where there is none of that name. @throws StorageError: nothing changed */
  async restore(id: string): Promise<{ id: string; scenario: string } | undefined> {
    const state = this.#snapshots.find(id)
    if (!state) return undefined
    await this.#begin(state, this.observations)
    return { id, scenario: state.scenario.name }
  }

  on(listener: (event: SimulationEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(event: SimulationEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  #newObservations(): Observations {
    return { journal: new Journal(this.#journalLimit), coverage: new Coverage(this.contract) }
  }
}

/** The state that a scenario describes, now. */
export async function stateOf({ name, document }: Scenario): Promise<State> {
  return { scenario: { name, document }, accounts: await buildWorlds(document, realTime()) }
}

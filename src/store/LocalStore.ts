import type { Snapshot } from '../admin/shapes.ts'
import type { Observations } from '../journal/Journal.ts'
import type { RawRecord } from '../journal/RawRecord.ts'
import type { FaultTarget } from '../world/invariants.ts'
import { realTime } from '../world/time.ts'
import type { World, WorldChange } from '../world/World.ts'
import { loaded, type State } from './State.ts'
import {
  beforeLoad,
  mostSnapshots,
  Store,
  andThen,
  type Awaitable,
  type Commit,
  type Health,
  type StoreEvent,
} from './Store.ts'

/** What is written of a commit: changes of a world, a world in place of another (null: none), or everything. */
export type Line =
  | { account: string; changes: readonly WorldChange[] }
  | { account: string; world: World | null }
  | { state: State }

/** Keeps a local store's state beyond the end of the process. */
export interface StateLog {
  /** The state that it held at the start; undefined if there was none */
  readonly found: State | undefined
  /**
   * Resolves once the line is durable. If that fails, `undo` is called first, the latest line's first.
   * @throws StorageError
   */
  append(line: Line, undo: () => void): Promise<void>
  /** Settles with what was appended and isn't durable yet; undefined if all is */
  readonly writing: Promise<void> | undefined
  /** @param present the state with all that was appended */
  attach(present: () => State): void
  /** Why changes can't be written at present; undefined if they can */
  readonly problem: string | undefined
  close(): Promise<void>
}

export interface LocalSettings {
  operations: readonly FaultTarget[]
  /** Makes the empty journal and coverage of a load */
  observe: () => Observations
  /** Undefined: nothing outlives the process */
  log?: StateLog | undefined
}

interface Kept {
  snapshot: Snapshot
  state: State
  only?: string
}

/**
 * The state in the memory of one process. As worlds are values, to commit one is to assign it, and so is to take that
 * back; snapshots and the journal's `before` are references.
 */
export class LocalStore extends Store {
  #scenario: State['scenario']
  #accounts: Map<string, World>
  #observations: Observations
  readonly #observe: () => Observations
  readonly #log: StateLog | undefined
  readonly #listeners = new Set<(event: StoreEvent) => void>()
  readonly #snapshots: Kept[] = []
  #replaced: Kept | undefined
  readonly #last = { load: 0, request: 0, snapshot: 0 }

  private constructor({ scenario, accounts }: State, { operations, observe, log }: LocalSettings) {
    super(operations)
    this.#scenario = scenario
    this.#accounts = new Map(accounts)
    this.#observe = observe
    this.#observations = observe()
    this.#log = log
    for (const { origin } of accounts.values()) this.#last.load = Math.max(this.#last.load, origin.load)
  }

  /** @param state `log.found`, or a state that takes its place @throws StorageError if that can't be written */
  static async open(state: State, settings: LocalSettings): Promise<LocalStore> {
    const store = new LocalStore(state, settings)
    settings.log?.attach(() => store.#present())
    if (state !== settings.log?.found) await store.replaceAll(state, false)
    store.#replaced = undefined
    return store
  }

  protected override read(login: string): World | undefined {
    return this.#accounts.get(login)
  }

  override peek(login: string): World | undefined {
    return this.#accounts.get(login)
  }

  override arrival(login: string): () => World | undefined {
    const world = this.#accounts.get(login)
    return () => world
  }

  override scenario(): State['scenario'] {
    return this.#scenario
  }

  #present(): State {
    return { scenario: this.#scenario, accounts: new Map(this.#accounts) }
  }

  /** What isn't durable yet may be taken back, so it isn't shown. */
  #whenDurable<T>(look: () => T): Awaitable<T> {
    const writing = this.#log?.writing
    const again = (): Awaitable<T> => this.#whenDurable(look)
    return writing ? writing.then(again, again) : look()
  }

  protected override readAll(): Awaitable<State> {
    return this.#whenDurable(() => this.#present())
  }

  protected override atHand(): Iterable<readonly [string, World]> {
    return [...this.#accounts]
  }

  protected override commit(commit: Commit): Awaitable<boolean> {
    const { login, before, after, changes } = commit
    if (login === undefined) return this.#end(commit)
    if (this.#accounts.get(login) !== before) return false
    if (before === after) {
      const writing = this.#log?.writing
      if (!writing) return this.#end(commit)
      return writing.then(this.#ending(commit), () => this.commit(commit))
    }
    const made = after && !changes ? loaded(after, ++this.#last.load) : after
    const line = changes
      ? { account: login, changes: changes.map(({ patch }) => patch) }
      : { account: login, world: made ?? null }
    const written = this.#log?.append(line, () => this.#put(login, before))
    this.#put(login, made)
    return andThen(written, this.#ending({ ...commit, after: made }))
  }

  #put(login: string, world: World | undefined): void {
    if (world) this.#accounts.set(login, world)
    else this.#accounts.delete(login)
  }

  /** If a load comes in between, which begins another journal, the record isn't kept. */
  #ending(commit: Commit): () => true {
    const observations = this.#observations
    return () => this.#end(this.#observations === observations ? commit : { ...commit, record: undefined })
  }

  /** What follows once a commit is durable: a request's change comes before its record. */
  #end(commit: Commit): true {
    const { login, before, after, record } = commit
    if (login !== undefined && before !== after) this.#tell(login, commit)
    if (!record) return true
    record.id = ++this.#last.request // continues across loads, so that two runs can't be confused
    record.before ??= before
    if (record.account === null) record.secrets = () => this.credentials()
    this.#emit({ type: 'request', record: this.#observations.add(record) })
    return true
  }

  #tell(login: string, { before, after, changes, isReset }: Commit): void {
    const secrets = after ? [after.password, after.tokens] : []
    const whole: { patch: WorldChange | null }[] = [{ patch: after ? {} : null }]
    for (const { patch, ...told } of changes ?? whole)
      this.#emit({ type: 'change', account: login, change: patch, ...told, secrets })
    if (!after) this.#observations.coverage.anonymize(login)
    else if (before && !changes) {
      const state = { scenario: this.#scenario, accounts: new Map([[login, before]]) }
      this.#replaced = { ...this.#kept(beforeLoad, state), only: login }
    }
    if (!isReset) return
    this.#observations.clear(login)
    this.#emit({ type: 'cleared', account: login })
  }

  protected override replaceAll({ scenario, accounts }: State, keepJournal: boolean): Awaitable<void> {
    const [before, observations] = [this.#present(), this.#observations]
    const load = ++this.#last.load
    this.#scenario = scenario
    this.#accounts = new Map([...accounts].map(([login, world]) => [login, loaded(world, load)]))
    if (!keepJournal) this.#observations = this.#observe()
    const written = this.#log?.append({ state: this.#present() }, () => {
      this.#scenario = before.scenario
      this.#accounts = new Map(before.accounts)
      this.#observations = observations
    })
    return andThen(written, () => {
      this.#replaced = this.#kept(beforeLoad, before)
      this.#emit({ type: 'reset', scenario: scenario.name })
    })
  }

  protected override keep(): Awaitable<Snapshot> {
    return this.#whenDurable(() => {
      const kept = this.#kept(`s${++this.#last.snapshot}`, this.#present())
      this.#snapshots.push(kept)
      if (this.#snapshots.length > mostSnapshots) this.#snapshots.shift()
      return kept.snapshot
    })
  }

  #kept(id: string, state: State): Kept {
    return {
      snapshot: { id, time: new Date(realTime()).toISOString(), scenario: state.scenario.name },
      state,
    }
  }

  #allKept(): Kept[] {
    return this.#replaced ? [...this.#snapshots, this.#replaced] : this.#snapshots
  }

  override snapshots(): Snapshot[] {
    return this.#allKept().map(({ snapshot }) => snapshot)
  }

  protected override snapshot(id: string): { state: State; only?: string } | undefined {
    return this.#allKept().find(({ snapshot }) => snapshot.id === id)
  }

  override observations(): Observations {
    return this.#observations
  }

  override clearJournal(account?: string): void {
    this.#observations.journal.clear(account)
    this.#emit({ type: 'cleared', account })
  }

  override worldBefore({ account, before }: RawRecord): World | undefined {
    const present = account === null ? undefined : this.#accounts.get(account)
    return before && before.origin.load === present?.origin.load ? before : undefined
  }

  override markLost(record: RawRecord): void {
    record.lost = true
  }

  override on(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  override onOwn(listener: (event: StoreEvent) => void): void {
    this.on(listener)
  }

  override async whenListening(): Promise<void> {}

  #emit(event: StoreEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  override health(): Health {
    const problem = this.#log?.problem
    return { warnings: problem === undefined ? [] : [problem] }
  }

  override async close(): Promise<void> {
    await this.#log?.close()
  }
}

import type { Observations } from '../journal/Observations.ts'
import type { JournalRecord } from '../journal/Journal.ts'
import type { RawRecord } from '../journal/RawRecord.ts'
import type { Storage } from '../storage/Storage.ts'
import { applyChange } from '../world/bindings.ts'
import { diffPatch, inversePatch, isObject, mergePatch } from '../world/mergePatch.ts'
import type { Instant } from '../world/time.ts'
import type { World } from '../world/World.ts'
import type { WorldChange } from '../world/WorldChange.ts'
import { realTime } from './clock.ts'
import { History } from './History.ts'
import { beforeLoad, Snapshots, type Snapshot } from './Snapshots.ts'
import type { State } from './State.ts'

/** What a step finds out, and what it makes of the world. */
export interface Outcome<T> {
  value: T
  change?: WorldChange | undefined
  /** Added to the journal when the change lasts */
  record?: RawRecord | undefined
}

/**
 * Everything in a request that looks at the world. It is pure and synchronous, and may run again on a newer world: it
 * adds nothing and tells nobody itself.
 * @param world undefined: there is no account of that login
 * @param real real time
 */
export type Step<T> = (world: World | undefined, real: Instant) => Outcome<T>

/** Since when a request is under way, and the world that it met: what took its place since is not its to change. */
export interface Held {
  moment: number
  world?: World | undefined
}

/** What happens, as the event stream tells it. */
export type StoreEvent =
  | { type: 'request'; record: JournalRecord }
  /** A merge patch on a world; `{}` if the account is new, null if it is gone. */
  | { type: 'change'; account: string; change: WorldChange | null }
  | { type: 'reset'; scenario: string }
  /** The journal was emptied, of one account or (undefined) of all. */
  | { type: 'cleared'; account: string | undefined }

export interface StoreSettings {
  /** Made anew by each load */
  observe: () => Observations
  /** Changes that can be taken back */
  history: number
}

/**
 * The state, and the one place that changes it: in memory and, through its storage, on disk. It numbers changes, keeps
 * what takes them back, and what was seen of the requests.
 */
export class Store {
  #state: State
  #observations: Observations
  readonly #storage: Storage
  readonly #observe: () => Observations
  readonly #history: History
  readonly #snapshots = new Snapshots()
  readonly #listeners = new Set<(event: StoreEvent) => void>()
  #lastRequest = 0

  constructor(state: State, storage: Storage, { observe, history }: StoreSettings) {
    this.#state = state
    this.#storage = storage
    this.#observe = observe
    this.#observations = observe()
    this.#history = new History(history)
    if (storage.found !== state) storage.replace(state, () => {})
  }

  get state(): State {
    return this.#state
  }

  get observations(): Observations {
    return this.#observations
  }

  /** The present moment, for `transact`. */
  get moment(): number {
    return this.#history.moment
  }

  /** The world of a login. */
  world(login: string): World | undefined {
    return Object.hasOwn(this.#state.accounts, login) ? this.#state.accounts[login] : undefined
  }

  /**
   * Runs a step on the world of a login, and makes its change last. Without a change it is done at once.
   * @param held a request that began earlier: what was reset since is not touched, and no record is kept
   * @throws StorageError: the change could not be written, and was taken back
   */
  transact<T>(login: string | undefined, step: Step<T>, held?: Held): T | Promise<T> {
    const present = login === undefined ? undefined : this.world(login)
    const isLate = held !== undefined && this.#isLate(login, present, held)
    const { value, change, record } = step(isLate ? (held.world ?? present) : present, realTime())
    if (isLate) return value
    if (record && login !== undefined && present) {
      const { birth, era } = this.#history.of(login)
      record.birth = birth
      record.era = era
    }
    if (login !== undefined && present && change) {
      this.change(login, present, change)
      const written = this.#storage.flushed()
      if (written) return this.#whenWritten(written, value, login, record, held)
    }
    if (record) this.#record(record)
    return value
  }

  async #whenWritten<T>(
    written: Promise<void>,
    value: T,
    login: string,
    record: RawRecord | undefined,
    held: Held | undefined,
  ): Promise<T> {
    const { moment } = held ?? this
    await written
    if (record && !this.#history.isYounger(login, moment)) this.#record(record)
    return value
  }

  #isLate(login: string | undefined, present: World | undefined, { moment, world }: Held): boolean {
    return this.#history.isYounger(login, moment) || (world !== undefined && !present)
  }

  #record(raw: RawRecord): void {
    raw.id = ++this.#lastRequest // ids go on over resets, so that two runs are never mixed up
    this.#emit({ type: 'request', record: this.#observations.add(raw) })
  }

  /**
   * Applies a change to a world, gives it the next version, and keeps what takes it back. A world that is no longer the
   * login's is left alone.
   */
  change(login: string, world: World, change: WorldChange): void {
    if (this.world(login) !== world) return
    const undo = inversePatch(world as never, change) as WorldChange
    applyChange(world, change)
    world.version++
    const timeline = this.#history.of(login)
    this.#history.push(timeline, undo)
    this.#storage.append({ accounts: { [login]: { ...change, version: world.version } } }, () => {
      applyChange(world, undo)
      world.version--
      this.#history.pop(timeline)
    })
    this.#emit({ type: 'change', account: login, change })
  }

  /**
   * Takes a world back to a version that it had, which is a change like any other: it gets the next version, and can be
   * taken back itself. It costs what is undone.
   * @returns the version that it has then; undefined if the history does not reach back that far, or the account is
   * gone, or is another one of the same login
   * @throws StorageError: nothing changed
   */
  async rewind(login: string, birth: number, version: number): Promise<number | undefined> {
    const world = this.world(login)
    const timeline = this.#history.of(login)
    if (!world || timeline.birth !== birth) return undefined
    const count = world.version - version
    if (count > this.#history.reach(timeline)) return undefined
    const change = netChange(world, this.#history.undo(timeline, count))
    this.#history.turn(timeline)
    if (change) this.change(login, world, change)
    await this.flushed()
    return world.version
  }

  /** A copy of a world as it was at a version; undefined if the history does not reach back that far. */
  worldAt(login: string, birth: number, version: number): World | undefined {
    const world = this.world(login)
    const timeline = this.#history.of(login)
    if (!world || timeline.birth !== birth) return undefined
    const count = world.version - version
    if (count > this.#history.reach(timeline)) return undefined
    const copy = structuredClone(world)
    for (const change of this.#history.undo(timeline, count)) applyChange(copy, change)
    copy.version = version
    return copy
  }

  /** The oldest version of a login's present world that can be gone back to. */
  oldestVersion(login: string): number | undefined {
    const world = this.world(login)
    return world && world.version - this.#history.reach(this.#history.of(login))
  }

  /** Whether a record is of the world that its account has now. */
  isPresent({ account, birth }: JournalRecord): boolean {
    return account !== null && this.world(account) !== undefined && this.#history.of(account).birth === birth
  }

  /** Adds an account; false if the login is taken. @throws StorageError: then there is none */
  async create(login: string, world: World): Promise<boolean> {
    if (this.world(login)) return false
    this.#setAccount(login, world)
    await this.flushed()
    return true
  }

  /** Takes an account away with all that it owns. @throws StorageError: then it is still there */
  async remove(login: string): Promise<void> {
    this.#setAccount(login, null)
    await this.flushed()
  }

  /** Puts another world in the place of a login's; its part of the journal and of the coverage begins anew. */
  async replaceAccount(login: string, world: World): Promise<void> {
    const before = this.world(login)
    if (before)
      this.#snapshots.keep(
        { scenario: this.#state.scenario, accounts: { [login]: before } },
        realTime(),
        login,
      )
    this.#setAccount(login, world)
    await this.flushed()
    this.#observations.clear(login)
    this.#emit({ type: 'cleared', account: login })
  }

  #setAccount(login: string, world: World | null): void {
    const before = this.world(login)
    if (world) {
      this.#state.accounts[login] = world
      this.#history.begin(login)
    } else {
      delete this.#state.accounts[login]
      this.#history.end(login)
    }
    // A world takes the place of the whole one before: null clears, as a merge patch alone would mix the two.
    const clear = before && world ? [{ accounts: { [login]: null } }] : []
    const set = { accounts: { [login]: world } }
    this.#storage.append(clear.length ? [...clear, set] : set, () => {
      if (before) this.#state.accounts[login] = before
      else delete this.#state.accounts[login]
      this.#history.begin(login)
    })
    this.#emit({ type: 'change', account: login, change: world ? {} : null })
  }

  /**
   * Puts another state in the place of all; what it replaces is kept as snapshot `before-load`.
   * @param keepJournal whether journal and coverage go on
   * @throws StorageError: nothing changed
   */
  async replace(state: State, { keepJournal = false } = {}): Promise<void> {
    const [before, seen] = [this.#state, this.#observations]
    this.#state = state
    if (!keepJournal) this.#observations = this.#observe()
    const undo = this.#history.beginAll()
    this.#storage.replace(state, () => {
      this.#state = before
      this.#observations = seen
      undo()
    })
    await this.flushed()
    if (!keepJournal) this.#snapshots.keep(before, realTime())
    this.#emit({ type: 'reset', scenario: state.scenario.name })
  }

  /** Keeps the present state. */
  snapshot(): Snapshot {
    return this.#snapshots.take(this.#state, realTime())
  }

  /** What is kept, the oldest first. */
  get snapshots(): Snapshot[] {
    return this.#snapshots.list()
  }

  /** Goes back to a kept state; the journal goes on. Undefined if there is none of that name. @throws StorageError */
  async restore(id: string): Promise<{ id: string; scenario: string } | undefined> {
    const found = this.#snapshots.find(id)
    if (!found) return undefined
    const { state, only } = found
    const before = only === undefined ? this.#state.accounts : { [only]: this.world(only) }
    const replaced = { scenario: this.#state.scenario, accounts: before as State['accounts'] }
    if (only === undefined) await this.replace(state, { keepJournal: true })
    else {
      this.#setAccount(only, state.accounts[only] as World)
      await this.flushed()
    }
    // To undo twice is to redo.
    if (id === beforeLoad && (only === undefined || before[only]))
      this.#snapshots.keep(replaced, realTime(), only)
    return { id, scenario: state.scenario.name }
  }

  /** Empties the journal, of one account or of all; coverage stays. */
  clearJournal(account?: string): void {
    this.#observations.journal.clear(account)
    this.#emit({ type: 'cleared', account })
  }

  /** Resolves when every change so far lasts. @throws StorageError: then the changes were taken back */
  async flushed(): Promise<void> {
    await this.#storage.flushed()
  }

  on(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #emit(event: StoreEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  async close(): Promise<void> {
    await this.#storage.close()
  }
}

/** What several changes, one after the other, make of a world; it costs what they touch. */
function netChange(world: World, changes: readonly WorldChange[]): WorldChange | undefined {
  const before = touched(world, changes)
  const after = structuredClone(before)
  for (const change of changes) mergePatch(after, change)
  return diffPatch(before, after) as WorldChange | undefined
}

/** The parts of a world that changes name: records one by one, all else whole. */
function touched(world: World, changes: readonly WorldChange[]): Record<string, unknown> {
  const parts: Record<string, unknown> = {}
  for (const change of changes)
    for (const [key, patch] of Object.entries(change)) {
      const whole: unknown = world[key as keyof World]
      if (!isObject(patch) || !isObject(whole)) parts[key] = whole
      else if (parts[key] !== whole) {
        const some = (parts[key] ??= {}) as Record<string, unknown>
        for (const id of Object.keys(patch)) if (Object.hasOwn(whole, id)) some[id] = whole[id]
      }
    }
  return parts
}

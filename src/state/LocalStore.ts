import { holds, type Condition } from '../contract/Condition.ts'
import type { JournalRecord } from '../journal/Journal.ts'
import type { Observations } from '../journal/Observations.ts'
import type { RawRecord } from '../journal/RawRecord.ts'
import type { KnownSecrets } from '../journal/redaction/Redactor.ts'
import type { Storage, Written } from '../storage/Storage.ts'
import { applyChange } from '../world/bindings.ts'
import { copyWorld } from '../world/sharing.ts'
import { diffPatch, inversePatch, isObject, mergePatch } from '../world/mergePatch.ts'
import { own } from '../world/own.ts'
import type { Readings } from '../world/readingOf.ts'
import type { World } from '../world/World.ts'
import type { WorldChange } from '../world/WorldChange.ts'
import { realTime } from '../world/clock.ts'
import { History, type Timeline } from './History.ts'
import type { Snapshot } from '../admin/shapes.ts'
import { beforeLoad, Snapshots } from './Snapshots.ts'
import type { State } from './State.ts'
import {
  mostCredentials,
  type ReadView,
  type RewindRange,
  type Step,
  type Store,
  type StoreEvent,
  type StoreHealth,
} from './Store.ts'

export interface LocalStoreSettings {
  /** Called on each load */
  observe: () => Observations
  /** Number of changes that can be undone */
  history: number
}

/**
 * A store in the memory of one process, persisted through its storage. It versions changes, records how to undo them,
 * and keeps journal and coverage.
 */
export class LocalStore implements Store {
  #state: State
  #observations: Observations
  readonly #storage: Storage
  readonly #observe: () => Observations
  readonly #history: History
  readonly #snapshots = new Snapshots()
  readonly #listeners = new Set<(event: StoreEvent) => void>()
  #lastRequest = 0

  constructor(state: State, storage: Storage, { observe, history }: LocalStoreSettings) {
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

  scenario(): State['scenario'] {
    return this.#state.scenario
  }

  all(): State {
    return this.#state
  }

  logins(): string[] {
    return Object.keys(this.#state.accounts)
  }

  readings(login?: string): Readings[] {
    const { accounts } = this.#state
    return login === undefined ? Object.values(accounts) : [own(accounts, login)].filter((one) => !!one)
  }

  whose(condition: Condition, service: string | undefined): string | undefined {
    const matching = Object.entries(this.#state.accounts).filter(([, world]) => holds(condition, world))
    const [login] =
      matching.find(([, { services }]) => Object.hasOwn(services, service ?? '')) ?? matching[0] ?? []
    return login
  }

  credentials(): KnownSecrets {
    const secrets: (string | readonly string[])[] = []
    const { accounts } = this.#state
    for (const login in accounts) {
      const world = accounts[login]
      if (world) secrets.push(world.password, world.tokens)
      if (secrets.length >= 2 * mostCredentials) break
    }
    return secrets
  }

  observations(): Observations {
    return this.#observations
  }

  get moment(): number {
    return this.#history.moment
  }

  world(login: string): World | undefined {
    return Object.hasOwn(this.#state.accounts, login) ? this.#state.accounts[login] : undefined
  }

  transact<T>(login: string | undefined, step: Step<T>, readView?: ReadView): T | Promise<T> {
    const present = login === undefined ? undefined : this.world(login)
    const isLate = readView !== undefined && this.#isLate(login, present, readView)
    const { value, change, record } = step(isLate ? (readView.world ?? present) : present, realTime())
    if (isLate) return value
    if (record && login !== undefined && present) {
      const { birth, era } = this.#history.of(login)
      record.birth = birth
      record.era = era
    }
    if (login !== undefined && present && change) {
      this.change(login, present, change)
      const written = this.#storage.flushed()
      if (written) return this.#whenWritten(written, value, login, record, readView)
    }
    if (record) this.#record(record)
    return value
  }

  async #whenWritten<T>(
    written: Promise<void>,
    value: T,
    login: string,
    record: RawRecord | undefined,
    readView: ReadView | undefined,
  ): Promise<T> {
    const { moment } = readView ?? this
    await written
    if (record && !this.#history.isYounger(login, moment)) this.#record(record)
    return value
  }

  #isLate(login: string | undefined, present: World | undefined, { moment, world }: ReadView): boolean {
    return this.#history.isYounger(login, moment) || (world !== undefined && !present)
  }

  #record(raw: RawRecord): void {
    raw.secrets ??= () => this.credentials()
    raw.id = ++this.#lastRequest // ids continue across resets, so two runs can't be confused
    this.#emit({ type: 'request', record: this.#observations.add(raw) })
  }

  /**
   * Applies a change to a world, increments its version, and records how to undo it.
   * @param world the login's present world
   */
  change(login: string, world: World, change: WorldChange): void {
    const undo = inversePatch(world as never, change) as WorldChange
    applyChange(world, change)
    world.version++
    const timeline = this.#history.of(login)
    this.#history.push(timeline, undo)
    this.#storage.logChange(login, change, world.version, () => {
      applyChange(world, undo)
      world.version--
      this.#history.pop(timeline)
    })
    this.#emitOnceWritten(login, change, world)
  }

  /** The cost depends on the changes that are undone. */
  async rewind(login: string, birth: number, version: number): Promise<number | undefined> {
    const back = this.#wayBack(login, birth, version)
    if (!back) return undefined
    const { world, timeline, undos } = back
    const change = netChange(world, undos)
    this.#history.turn(timeline)
    if (change) this.change(login, world, change)
    const rewound = world.version // by the time that it is written, others may have changed it further
    await this.flushed()
    return rewound
  }

  worldAt(login: string, birth: number, version: number): World | undefined {
    const back = this.#wayBack(login, birth, version)
    if (!back) return undefined
    const copy = copyWorld(back.world)
    for (const change of back.undos) applyChange(copy, change)
    copy.version = version
    return copy
  }

  /** What leads back to a version of a world; undefined if the history doesn't reach back that far. */
  #wayBack(
    login: string,
    birth: number,
    version: number,
  ): { world: World; timeline: Timeline; undos: WorldChange[] } | undefined {
    const world = this.world(login)
    if (!world) return undefined
    const timeline = this.#history.of(login)
    const count = world.version - version
    if (timeline.birth !== birth || count > timeline.kept) return undefined
    return { world, timeline, undos: this.#history.undo(timeline, count) }
  }

  rewindRange(login: string): RewindRange | undefined {
    const world = this.world(login)
    if (!world) return undefined
    const timeline = this.#history.of(login)
    return { birth: timeline.birth, oldest: world.version - timeline.kept }
  }

  async create(login: string, world: World): Promise<boolean> {
    const written = await this.#writeAccount(login, world)
    if (this.world(login)) return false
    this.#setAccount(login, world, written)
    await this.flushed()
    return true
  }

  async remove(login: string): Promise<boolean> {
    if (!this.world(login)) return false
    this.#setAccount(login, null)
    this.#observations.coverage.anonymize(login)
    await this.flushed()
    return true
  }

  async replaceAccount(login: string, world: World): Promise<void> {
    const replaced = await this.#replaceWorld(login, world)
    if (replaced) this.#snapshots.keep(replaced, realTime(), login)
    this.#observations.clear(login)
    this.#emit({ type: 'cleared', account: login })
  }

  /** @returns what was replaced, if anything, as a state of that account alone */
  async #replaceWorld(login: string, world: World): Promise<State | undefined> {
    const written = await this.#writeAccount(login, world)
    const { scenario } = this.#state
    const before = this.world(login)
    this.#setAccount(login, world, written)
    await this.flushed()
    return before && { scenario, accounts: { [login]: before } }
  }

  /**
   * Replaces a whole world, as a merge patch alone would mix the two. A value that isn't an object clears it first: null
   * would, too, but then it would lose its place among the others.
   */
  async #writeAccount(login: string, world: World): Promise<Written | undefined> {
    return this.#storage.write([{ accounts: { [login]: false } }, { accounts: { [login]: world } }])
  }

  /** @param written the world as `#writeAccount` returned it */
  #setAccount(login: string, world: World | null, written?: Written): void {
    const before = this.world(login)
    if (world) this.#state.accounts[login] = world
    else delete this.#state.accounts[login]
    const undo = world ? this.#history.begin(login) : this.#history.end(login)
    const takeBack = (): void => {
      if (before) this.#state.accounts[login] = before
      else delete this.#state.accounts[login]
      undo()
    }
    this.#storage.logWorld(login, world, takeBack, written)
    this.#emitOnceWritten(login, world && {}, world)
  }

  async replace(state: State): Promise<void> {
    this.#snapshots.keep(await this.#replaceAll(state, { keepJournal: false }), realTime())
  }

  /** @param keepJournal whether to keep journal and coverage @returns what was replaced */
  async #replaceAll(state: State, { keepJournal }: { keepJournal: boolean }): Promise<State> {
    const written = await this.#storage.write(state)
    const [before, seen] = [this.#state, this.#observations]
    this.#state = state
    if (!keepJournal) this.#observations = this.#observe()
    const undo = this.#history.beginAll()
    this.#storage.replace(
      state,
      () => {
        this.#state = before
        this.#observations = seen
        undo()
      },
      written,
    )
    await this.flushed()
    this.#emit({ type: 'reset', scenario: state.scenario.name })
    return before
  }

  snapshot(): Snapshot {
    return this.#snapshots.take(this.#state, realTime())
  }

  snapshots(): Snapshot[] {
    return this.#snapshots.list()
  }

  async restore(id: string): Promise<{ id: string; scenario: string } | undefined> {
    const found = this.#snapshots.find(id)
    if (!found) return undefined
    const { state, only } = found
    const replaced =
      only === undefined
        ? await this.#replaceAll(state, { keepJournal: true })
        : await this.#replaceWorld(only, state.accounts[only] as World)
    // Undoing twice is a redo.
    if (id === beforeLoad && replaced) this.#snapshots.keep(replaced, realTime(), only)
    return { id, scenario: this.#state.scenario.name } // of an account alone, the scenario stays
  }

  clearJournal(account?: string): void {
    this.#observations.journal.clear(account)
    this.#emit({ type: 'cleared', account })
  }

  /** Resolves once all changes so far are durable. @throws StorageError if they were rolled back */
  async flushed(): Promise<void> {
    await this.#storage.flushed()
  }

  markLost(record: RawRecord): void {
    record.lost = true
  }

  on(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onOwnRequest(listener: (record: JournalRecord) => void): void {
    this.on((event) => {
      if (event.type === 'request') listener(event.record)
    })
  }

  /** A change that is rolled back never happened. The order of changes stays, and a request's change precedes it. */
  #emitOnceWritten(account: string, change: WorldChange | null, world: World | null): void {
    if (this.#listeners.size === 0) return
    // As of now: the next change may replace them before this one is written.
    const secrets = world ? [world.password, world.tokens] : []
    const emit = (): void => this.#emit({ type: 'change', account, change, secrets })
    const written = this.#storage.flushed()
    if (written) written.then(emit, () => {})
    else emit()
  }

  #emit(event: StoreEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  health(): StoreHealth {
    const warning = this.#storage.warning()
    return { warnings: warning === undefined ? [] : [warning] }
  }

  async close(): Promise<void> {
    await this.#storage.close()
  }
}

/** The combined effect of consecutive changes on a world. The cost depends on what they touch. */
function netChange(world: World, changes: readonly WorldChange[]): WorldChange | undefined {
  const before = touched(world, changes)
  const after = structuredClone(before)
  for (const change of changes) mergePatch(after, change)
  return diffPatch(before, after) as WorldChange | undefined
}

/** The parts of a world that the changes touch: records individually, everything else whole. */
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

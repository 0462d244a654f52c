import type { Snapshot } from '../admin/shapes.ts'
import type { Observations } from '../journal/Journal.ts'
import type { RawRecord } from '../journal/RawRecord.ts'
import type { KnownSecrets } from '../journal/redaction/Redactor.ts'
import { realTime } from '../world/time.ts'
import type { World } from '../world/World.ts'
import { loaded, type State } from './State.ts'
import {
  beforeLoad,
  mostCredentials,
  mostSnapshots,
  type Awaitable,
  type Commit,
  type Health,
  type Overtaken,
  type Storage,
  type StoreEvent,
} from './Storage.ts'

/** Keeps a local storage's state beyond the end of the process. */
export interface StateLog {
  /** The state that it held at the start; undefined if there was none */
  readonly found: State | undefined
  /**
   * Resolves once what was committed is durable. If that fails, `undo` is called first, the latest commit's first.
   * @throws StorageError
   */
  append(commit: Commit, undo: () => void): Promise<void>
  /** As `append`, for a state that replaces everything. */
  replace(state: State, undo: () => void): Promise<void>
  /** Settles with what was appended and isn't durable yet; undefined if all is */
  readonly writing: Promise<void> | undefined
  /** @param present the state with all that was appended */
  attach(present: () => State): void
  /** Why changes can't be written at present; undefined if they can */
  readonly problem: string | undefined
  close(): Promise<void>
}

export interface LocalSettings {
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
export class LocalStorage implements Storage {
  #state: { scenario: State['scenario']; accounts: Map<string, World> }
  #observations: Observations
  readonly #settings: LocalSettings
  readonly #listeners = new Set<(event: StoreEvent) => void>()
  readonly #snapshots: Kept[] = []
  #replaced: Kept | undefined
  readonly #last = { load: 0, request: 0, snapshot: 0 }

  private constructor(state: State, settings: LocalSettings) {
    this.#state = { scenario: state.scenario, accounts: new Map(state.accounts) }
    this.#settings = settings
    this.#observations = settings.observe()
    for (const { origin } of state.accounts.values()) this.#last.load = Math.max(this.#last.load, origin.load)
  }

  /**
   * @param state `log.found`, or a state that takes its place
   * @throws StorageError if that can't be written
   */
  static async open(state: State, settings: LocalSettings): Promise<LocalStorage> {
    const storage = new LocalStorage(state, settings)
    settings.log?.attach(() => storage.state())
    if (state !== settings.log?.found) await storage.#replace(state)
    return storage
  }

  world(login: string): World | undefined {
    return this.#state.accounts.get(login)
  }

  peek(login: string): World | undefined {
    return this.#state.accounts.get(login)
  }

  scenario(): State['scenario'] {
    return this.#state.scenario
  }

  logins(): string[] {
    return [...this.#state.accounts.keys()]
  }

  state(): State {
    return { ...this.#state, accounts: new Map(this.#state.accounts) }
  }

  atHand(): Iterable<readonly [string, World]> {
    return [...this.#state.accounts]
  }

  credentials(): KnownSecrets {
    const secrets: (string | readonly string[])[] = []
    for (const { password, tokens } of this.#state.accounts.values()) {
      secrets.push(password, tokens)
      if (secrets.length >= 2 * mostCredentials) break
    }
    return secrets
  }

  commit(commit: Commit): Awaitable<Overtaken | undefined> {
    const { login, before, after, changes } = commit
    if (login === undefined) return this.#close(commit)
    const present = this.#state.accounts.get(login)
    if (present !== before) return { world: present }
    if (before === after) {
      // A world that was read before it is durable must not be shown: it may be taken back.
      const writing = this.#settings.log?.writing
      return writing ? this.#closeOnce(writing, commit, () => this.commit(commit)) : this.#close(commit)
    }
    const made = after && !changes ? { ...commit, after: loaded(after, ++this.#last.load) } : commit
    const written = this.#settings.log?.append(made, () => this.#put(login, before))
    this.#put(login, made.after)
    return written ? this.#closeOnce(written, made) : this.#close(made)
  }

  /** @param failed what to do instead if it can't be written */
  #closeOnce(
    written: Promise<void>,
    commit: Commit,
    failed?: () => Awaitable<Overtaken | undefined>,
  ): Promise<Overtaken | undefined> {
    const observations = this.#observations
    return written.then(() => {
      // A load in between began another journal.
      const isOver = this.#observations !== observations
      return this.#close(isOver ? { ...commit, record: undefined } : commit)
    }, failed)
  }

  #put(login: string, world: World | undefined): void {
    if (world) this.#state.accounts.set(login, world)
    else this.#state.accounts.delete(login)
  }

  /** What follows once a commit is durable: a request's change comes before its record. */
  #close(commit: Commit): undefined {
    const { login, before, after, record } = commit
    if (login !== undefined && before !== after) this.#follow(login, commit)
    if (!record) return
    record.id = ++this.#last.request // continues across loads, so that two runs can't be confused
    record.before ??= before
    if (record.account === null) record.secrets = () => this.credentials()
    this.#emit({ type: 'request', record: this.#observations.add(record) })
  }

  #follow(login: string, { before, after, changes, isReset }: Commit): void {
    const secrets = after ? [after.password, after.tokens] : []
    const change = after ? {} : null
    const events = changes?.map(({ patch, ...told }) => ({ change: patch, ...told })) ?? [{ change }]
    for (const event of events) this.#emit({ type: 'change', account: login, ...event, secrets })
    if (!after) this.#observations.coverage.anonymize(login)
    else if (before && !changes) {
      const { scenario } = this.#state
      this.#replaced = {
        ...this.#kept(beforeLoad, { scenario, accounts: new Map([[login, before]]) }),
        only: login,
      }
    }
    if (!isReset) return
    this.#observations.clear(login)
    this.#emit({ type: 'cleared', account: login })
  }

  async replace(state: State, keepJournal: boolean): Promise<void> {
    this.#replaced = this.#kept(beforeLoad, await this.#replace(state, keepJournal))
    this.#emit({ type: 'reset', scenario: state.scenario.name })
  }

  /** @returns what was replaced */
  async #replace(state: State, keepJournal = false): Promise<State> {
    const { log, observe } = this.#settings
    const load = ++this.#last.load
    const accounts = new Map<string, World>()
    for (const [login, world] of state.accounts) accounts.set(login, loaded(world, load))
    const next = { scenario: state.scenario, accounts }
    const [before, seen] = [this.#state, this.#observations]
    this.#state = next
    if (!keepJournal) this.#observations = observe()
    await log?.replace(next, () => {
      this.#state = before
      this.#observations = seen
    })
    return before
  }

  takeSnapshot(): Snapshot {
    const kept = this.#kept(`s${++this.#last.snapshot}`, this.state())
    this.#snapshots.push(kept)
    if (this.#snapshots.length > mostSnapshots) this.#snapshots.shift()
    return kept.snapshot
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

  snapshots(): Snapshot[] {
    return this.#allKept().map(({ snapshot }) => snapshot)
  }

  snapshot(id: string): { state: State; only?: string } | undefined {
    return this.#allKept().find(({ snapshot }) => snapshot.id === id)
  }

  observations(): Observations {
    return this.#observations
  }

  clearJournal(account?: string): void {
    this.#observations.journal.clear(account)
    this.#emit({ type: 'cleared', account })
  }

  worldBefore({ account, before }: RawRecord): World | undefined {
    const present = account === null ? undefined : this.#state.accounts.get(account)
    return before && before.origin.load === present?.origin.load ? before : undefined
  }

  markLost(record: RawRecord): void {
    record.lost = true
  }

  on(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onOwn(listener: (event: StoreEvent) => void): void {
    this.on(listener)
  }

  #emit(event: StoreEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  health(): Health {
    const problem = this.#settings.log?.problem
    return { warnings: problem === undefined ? [] : [problem] }
  }

  async close(): Promise<void> {
    await this.#settings.log?.close()
  }
}

import { Coverage, responseName } from '../journal/Coverage.ts'
import { Journal } from '../journal/Journal.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import { realTime } from '../world/time.ts'
import type { World } from '../world/World.ts'
import type { FileLog } from './file/FileLog.ts'
import type { State } from './State.ts'
import {
  beforeLoad,
  eventsOf,
  maxSnapshots,
  Store,
  type Awaitable,
  type Commit,
  type SnapshotInfo,
  type StoreSettings,
} from './Store.ts'

export interface LocalSettings extends StoreSettings {
  /** Undefined: nothing outlives the process */
  log?: FileLog | undefined
}

/** A commit that waits for its line to be written, or for that of a change that it has seen */
interface Waiting {
  commit: Commit
  resolve: (isDone: boolean) => void
  reject: (error: unknown) => void
}

/**
 * The state in the memory of one process. As worlds are values, to commit one is to assign it, and so is to take that
 * back; snapshots and the journal's `before` are references.
 */
export class LocalStore extends Store {
  #scenario: State['scenario']
  #accounts: Map<string, World>
  readonly #settings: LocalSettings
  #journal: Journal
  #coverage: Coverage
  /** Changes of one turn share a write */
  #waiting: Waiting[] = []
  readonly #snapshots: SnapshotInfo[] = []
  #replaced: SnapshotInfo | undefined
  #requests = 0
  #taken = 0

  private constructor({ scenario, accounts }: State, settings: LocalSettings) {
    super(settings.contract)
    this.#scenario = scenario
    this.#accounts = new Map(accounts)
    this.#settings = settings
    this.#journal = new Journal(settings.journal)
    this.#coverage = new Coverage(settings.contract)
  }

  /** @param state `log.found`, or a state that takes its place @throws StorageError if that can't be written */
  static async open(state: State, settings: LocalSettings): Promise<LocalStore> {
    const store = new LocalStore(state, settings)
    await settings.log?.begin(() => store.#present())
    return store
  }

  override read(login: string): World | undefined {
    return this.#accounts.get(login)
  }

  override scenario(): State['scenario'] {
    return this.#scenario
  }

  /** The present state at once, with due timeline entries applied as far as the process is alone with it. */
  present(): State {
    void this.applyAllDue()
    return this.#present()
  }

  #present(): State {
    return { scenario: this.#scenario, accounts: new Map(this.#accounts) }
  }

  protected override readAll(): State {
    this.#flush()
    return this.#present()
  }

  protected override cachedWorlds(): Iterable<readonly [string, World]> {
    return this.#accounts
  }

  protected override commit(commit: Commit): Awaitable<boolean> {
    const { login, before, after } = commit
    if (login !== undefined && this.read(login) !== before) return false
    if (login !== undefined) this.#assign(login, after)
    // What isn't durable yet may be taken back, so nobody is answered from it.
    if (!this.#settings.log || (before === after && this.#waiting.length === 0)) return this.#end(commit)
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ commit, resolve, reject }) === 1) this.#flushWhenIdle(0)
    })
  }

  /** Once a pass of the nextTick queue adds no more: one write serves all work that doesn't wait for I/O (decision 15). */
  #flushWhenIdle(before: number): void {
    process.nextTick(() => {
      const now = this.#waiting.length
      if (now === before) this.#flush()
      else this.#flushWhenIdle(now)
    })
  }

  #assign(login: string, world: World | undefined): void {
    if (world) this.#accounts.set(login, world)
    else this.#accounts.delete(login)
  }

  /** Writes the changes that wait; if that fails, all of them are taken back. */
  #flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    const changes = waiting.flatMap(({ commit }) => (commit.before === commit.after ? [] : [commit]))
    try {
      if (changes.length > 0) this.#settings.log?.write(changes)
    } catch (error) {
      for (const { login, before } of changes.toReversed()) this.#assign(login as string, before)
      for (const { commit, resolve, reject } of waiting)
        if (changes.includes(commit)) reject(error)
        else resolve(false)
      return
    }
    for (const { commit, resolve } of waiting) resolve(this.#end(commit))
  }

  /** What follows once a commit is durable. */
  #end(commit: Commit): true {
    const { isReplacement, record } = commit
    if (record) {
      record.id = ++this.#requests // continues across loads, so that two runs can't be confused
      this.#journal.add(record)
      this.#coverage.add(record.account, responseName(record))
    }
    if (this.listeners.size > 0) for (const event of eventsOf(commit)) this.emit(event)
    if (isReplacement) this.#replaceWorld(commit)
    this.onCommit?.(commit)
    return true
  }

  #replaceWorld({ login = '', before, after, isReset }: Commit): void {
    if (before && after) this.#replaced = this.#kept(beforeLoad, new Map([[login, before]]), login)
    if (!isReset) return
    this.#coverage.clear(login)
    this.#journal.clear(login)
  }

  protected override replaceAll(state: State, keepJournal: boolean): void {
    this.#flush()
    this.#settings.log?.write([state])
    this.#replaced = this.#kept(beforeLoad, this.#accounts)
    this.#scenario = state.scenario
    this.#accounts = new Map(state.accounts)
    if (!keepJournal) {
      this.#journal = new Journal(this.#settings.journal)
      this.#coverage = new Coverage(this.contract)
    }
    this.emit({ type: 'reset', scenario: state.scenario.name })
  }

  override takeSnapshot(): SnapshotInfo {
    this.#flush()
    const kept = this.#kept(`s${++this.#taken}`, new Map(this.#accounts))
    this.#snapshots.push(kept)
    if (this.#snapshots.length > maxSnapshots) this.#snapshots.shift()
    return kept
  }

  #kept(id: string, accounts: Map<string, World>, only?: string): SnapshotInfo {
    const scenario = this.#scenario
    const time = new Date(realTime()).toISOString()
    return { id, time, scenario: scenario.name, only, state: () => ({ scenario, accounts }) }
  }

  override snapshots(): readonly SnapshotInfo[] {
    return this.#replaced ? [...this.#snapshots, this.#replaced] : this.#snapshots
  }

  override journal(): Journal {
    this.#flush()
    return this.#journal
  }

  override coverage(): Coverage {
    return this.#coverage
  }

  override clearJournal(account?: string): void {
    this.#journal.clear(account)
  }

  override markLost(record: JournalRecord): void {
    record.lost = true
  }

  override async close(): Promise<void> {
    this.#flush()
    await this.#settings.log?.close()
  }
}

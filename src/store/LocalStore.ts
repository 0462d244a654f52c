import { Coverage, coverageKey } from '../journal/Coverage.ts'
import { Journal } from '../journal/Journal.ts'
import { type JournalRecord, markUndelivered } from '../journal/JournalRecord.ts'
import { realTime } from '../world/time.ts'
import type { World, WorldChange } from '../world/World.ts'
import type { FileStorage } from './file/FileStorage.ts'
import { LocalState, type StateChange } from './LocalState.ts'
import type { State } from './State.ts'
import {
  type Awaitable,
  beforeLoad,
  type Commit,
  createEvents,
  maxSnapshots,
  type SnapshotInfo,
  Store,
  type StoreHealth,
  type StoreSettings,
} from './Store.ts'

export interface LocalSettings extends StoreSettings {
  /** Undefined if the state is only kept in memory */
  storage?: FileStorage | undefined
}

/** A commit that waits until its change, or an unwritten change that its step has read, is on disk. */
interface WaitingCommit {
  commit: Commit
  change: StateChange | undefined
  resolve: (isDone: boolean) => void
  reject: (error: unknown) => void
}

/** The state in the memory of one process, and in a file if `storage` is set. */
export class LocalStore extends Store {
  readonly #settings: LocalSettings
  /** The state. With a file, it contains exactly the changes that are on disk */
  readonly #state: LocalState
  /** Worlds whose changes aren't written yet; undefined for a deleted account */
  readonly #pending = new Map<string, World | undefined>()
  /** Commits that the next write includes */
  #waiting: WaitingCommit[] = []
  #journal: Journal
  #coverage: Coverage
  readonly #snapshots: SnapshotInfo[] = []
  #requestCount = 0
  #snapshotCount = 0

  private constructor(state: LocalState, settings: LocalSettings) {
    super(settings.contract)
    this.#state = state
    this.#settings = settings
    this.#journal = new Journal(settings.journal)
    this.#coverage = new Coverage(settings.contract)
  }

  /** @param state `storage.savedState`, or a state that replaces it @throws StorageError if it can't be written */
  static async open(state: State | LocalState, settings: LocalSettings): Promise<LocalStore> {
    const localState = state instanceof LocalState ? state : new LocalState(state)
    await settings.storage?.begin(localState)
    return new LocalStore(localState, settings)
  }

  override read(login: string): World | undefined {
    return this.#pending.has(login) ? this.#pending.get(login) : this.#state.accounts.get(login)
  }

  override scenario(): State['scenario'] {
    return this.#state.scenario
  }

  /** The current state, returned synchronously. Only for a store without a file. */
  currentState(): State {
    void this.applyAllDue()
    return this.#state.current
  }

  protected override readAll(): State {
    this.#flush()
    return this.#state.current
  }

  protected override cachedWorlds(): Iterable<readonly [string, World]> {
    return this.#state.accounts
  }

  protected override commit(commit: Commit): Awaitable<boolean> {
    const { login, before, after } = commit
    if (login !== undefined && this.read(login) !== before) return false
    const change = before === after ? undefined : toStateChange(commit)
    if (!this.#settings.storage) {
      if (change) this.#state.apply(change)
      return this.#complete(commit)
    }
    // If the write fails, unwritten worlds are discarded. So a commit that may have read one also waits.
    if (!change && this.#waiting.length === 0) return this.#complete(commit)
    if (change) this.#pending.set(login as string, after)
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ commit, change, resolve, reject }) === 1) this.#flushWhenIdle(0)
    })
  }

  /**
   * Waits until a pass of the nextTick queue adds no commit. One write then serves all work that doesn't wait for I/O (decision
   * 15).
   */
  #flushWhenIdle(before: number): void {
    process.nextTick(() => {
      const count = this.#waiting.length
      if (count === before) this.#flush()
      else this.#flushWhenIdle(count)
    })
  }

  /** Writes the waiting changes. If that fails, none of them takes effect. */
  #flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#pending.clear()
    try {
      const changes = waiting.flatMap(({ change }) => change ?? [])
      if (changes.length > 0) this.#settings.storage?.write(changes)
    } catch (error) {
      for (const commit of waiting)
        if (commit.change) commit.reject(error)
        else commit.resolve(false)
      return
    }
    for (const { commit, resolve } of waiting) resolve(this.#complete(commit))
  }

  /** Runs once a commit is durable: records the request and notifies listeners. */
  #complete(commit: Commit): true {
    const { login = '', record, isReset } = commit
    if (record) {
      record.id = ++this.#requestCount // ids continue across loads, so that they stay unique
      this.#journal.add(record)
      this.#coverage.add(record.account, coverageKey(record))
    }
    if (this.listeners.size > 0) for (const event of createEvents(commit)) this.emit(event)
    if (isReset) {
      this.#coverage.clear(login)
      this.#journal.clear(login)
    }
    this.onCommit?.(commit)
    return true
  }

  protected override replaceAll(state: State, keepJournal: boolean): void {
    this.#flush()
    const change = { state, time: isoNow() }
    if (this.#settings.storage) this.#settings.storage.write([change])
    else this.#state.apply(change)
    if (!keepJournal) {
      this.#journal = new Journal(this.#settings.journal)
      this.#coverage = new Coverage(this.contract)
    }
    this.emit({ type: 'reset', scenario: state.scenario.name })
  }

  override takeSnapshot(): SnapshotInfo {
    const state = this.readAll()
    const id = `s${++this.#snapshotCount}`
    const snapshot = { id, time: isoNow(), scenario: state.scenario.name, state: () => state }
    this.#snapshots.push(snapshot)
    if (this.#snapshots.length > maxSnapshots) this.#snapshots.shift()
    return snapshot
  }

  override snapshots(): readonly SnapshotInfo[] {
    const { beforeLoad: replaced } = this.#state
    if (!replaced) return this.#snapshots
    const { time, account, state } = replaced
    return [
      ...this.#snapshots,
      { id: beforeLoad, time, scenario: state.scenario.name, account, state: () => state },
    ]
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

  override markUndelivered(record: JournalRecord, endedAt: number): void {
    markUndelivered(record, endedAt)
  }

  override health(): StoreHealth {
    return this.#settings.storage?.health() ?? { warnings: [] }
  }

  override async close(): Promise<void> {
    this.#flush()
    await this.#settings.storage?.close()
  }
}

function toStateChange({ login: account = '', after, changes, isReplacement }: Commit): StateChange {
  if (isReplacement || !after) return { account, replacement: after ?? null, time: isoNow() }
  return { account, patches: changes.map(({ patch }) => patch as WorldChange), after }
}

function isoNow(): string {
  return new Date(realTime()).toISOString()
}

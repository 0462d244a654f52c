import type { JournalRecord, Observations } from '../journal/Journal.ts'
import type { RawRecord } from '../journal/RawRecord.ts'
import type { KnownSecrets } from '../journal/redaction/Redactor.ts'
import type { Snapshot } from '../admin/shapes.ts'
import type { World, WorldChange } from '../world/World.ts'
import type { State } from './State.ts'

/** How many snapshots are kept besides `before-load`; the oldest are dropped. */
export const mostSnapshots = 50

/** Name of the snapshot of what a load or reset replaced. */
export const beforeLoad = 'before-load'

/** How many accounts' credentials are searched for when the sender is unknown. */
export const mostCredentials = 200

/** A local storage returns values right away, a shared one has to fetch them. */
export type Awaitable<T> = T | Promise<T>

/** One change of a world, which gives it the next version. */
export interface Change {
  patch: WorldChange
  /** What happened, if nobody asked for it: the description of a timeline's entry */
  description?: string
  /** Why nothing came of it, if so */
  skipped?: string
}

/** What a step read and what it made of it, to be written in one go: all of it or nothing. */
export interface Commit {
  /** Undefined: the request names no account */
  login: string | undefined
  /** The world that was read; undefined if there is none of this login */
  before: World | undefined
  /**
   * The world as it shall be: `before` itself if nothing changes, a descendant of it by `changes`, undefined to delete
   * the account, or another one that takes its place; the storage then gives that a new `origin.load`, and keeps
   * `before` as snapshot `before-load`.
   */
  after: World | undefined
  /** How `before` became `after`, one version each; undefined if `after` takes its place */
  changes?: readonly Change[] | undefined
  /** Added to journal and coverage, with an id, once the change is durable */
  record?: RawRecord | undefined
  /** Whether what takes its place begins a new journal and coverage of that account */
  isReset?: boolean
}

/** Somebody else was faster: the step must run again on the world as it is now. */
export interface Overtaken {
  world: World | undefined
}

/** The events of the event stream. */
export type StoreEvent =
  | { type: 'request'; record: JournalRecord }
  /**
   * A merge patch on a world; `{}` if the account is new, null if it was deleted. `secrets`: the world's credentials after
   * it, which it may contain
   */
  | {
      type: 'change'
      account: string
      change: WorldChange | null
      description?: string | undefined
      skipped?: string | undefined
      secrets: KnownSecrets
    }
  | { type: 'reset'; scenario: string }
  /** The journal was cleared, for one account or (undefined) for all. */
  | { type: 'cleared'; account: string | undefined }

/** Whether a storage is usable. */
export interface Health {
  /** Why requests can't be handled at present */
  problem?: string
  /** Problems that don't stop requests */
  warnings: string[]
}

/**
 * Where worlds, journal, coverage and snapshots are kept: in memory, in a file, in Redis. `Store` is the only caller.
 * Everything that can't be done because disk or network fail throws a StorageError, and nothing has changed then.
 */
export interface Storage {
  /** A login's world. A shared storage may answer from its cache: `commit` tells if that was not the present one. */
  world(login: string): Awaitable<World | undefined>
  /** The present world, if that can be said without asking anybody */
  peek(login: string): World | undefined
  /**
   * Writes what a step made, and resolves once it is durable; undefined right away where nothing has to be awaited. With
   * `before === after` it says whether `before` is still the present world, and adds the record.
   * @throws StorageError if it isn't written; or if whether it is can't be found out, and says so
   */
  commit(commit: Commit): Awaitable<Overtaken | undefined>
  scenario(): Awaitable<State['scenario']>
  logins(): Awaitable<readonly string[]>
  /** Everything, as it is at present. */
  state(): Awaitable<State>
  /** The worlds that are at hand, by login: of a shared storage those that it has cached */
  atHand(): Iterable<readonly [string, World]>
  /** Credentials of accounts at hand, to redact when the sender is unknown. */
  credentials(): KnownSecrets
  /**
   * Replaces everything; what was before becomes snapshot `before-load`. All worlds get a new `origin.load`.
   * @param keepJournal whether journal and coverage go on (restore) or begin anew (load, reset)
   */
  replace(state: State, keepJournal: boolean): Awaitable<void>
  /** Keeps the present state. */
  takeSnapshot(): Awaitable<Snapshot>
  /** Oldest first; `before-load` last. */
  snapshots(): Awaitable<readonly Snapshot[]>
  /** The state of a snapshot. `only`: it has only this account, as it comes from the reset of one account */
  snapshot(id: string): Awaitable<{ state: State; only?: string } | undefined>
  /** Journal and coverage, including every answered request. */
  observations(account?: string): Awaitable<Observations>
  /** Clears the journal of one account or of all; coverage is kept. */
  clearJournal(account?: string): Awaitable<void>
  /** The world that a request met; undefined if the kept history doesn't reach back that far. */
  worldBefore(record: RawRecord): Awaitable<World | undefined>
  /** Marks a recorded request whose response turned out not to reach its client. */
  markLost(record: RawRecord): void
  /** @returns unsubscribes */
  on(listener: (event: StoreEvent) => void): () => void
  /** Only for shared storages: resolves once listeners miss no further event without a `reset`; never rejects */
  whenListening?(): Promise<void>
  /** Only requests that this process handled, and changes that it made: other replicas log their own. */
  onOwn(listener: (event: StoreEvent) => void): void
  health(): Awaitable<Health>
  /** Writes what is pending, and releases all resources. @throws StorageError */
  close(): Promise<void>
}

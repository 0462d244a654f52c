import type { Condition } from '../contract/Condition.ts'
import type { JournalRecord } from '../journal/Journal.ts'
import type { Observations } from '../journal/Observations.ts'
import type { RawRecord } from '../journal/RawRecord.ts'
import type { KnownSecrets } from '../journal/redaction/Redactor.ts'
import type { Instant } from '../world/time.ts'
import type { Readings } from '../world/readingOf.ts'
import type { World } from '../world/World.ts'
import type { WorldChange } from '../world/WorldChange.ts'
import type { Snapshot } from '../admin/shapes.ts'
import type { State } from './State.ts'

/** How many accounts' credentials are searched for when the sender is unknown. */
export const mostCredentials = 200

/** A local store returns values right away, a shared one has to fetch them. */
export type Awaitable<T> = T | Promise<T>

/** The result of a step, and how it changes the world. */
export interface Outcome<T> {
  value: T
  change?: WorldChange | undefined
  /** Added to the journal once the change is durable */
  record?: RawRecord | undefined
}

/**
 * The part of a request that reads the world. It must be pure and synchronous, as it may run again on a newer world.
 * @param world undefined if no account has that login
 * @param real real time
 */
export type Step<T> = (world: World | undefined, real: Instant) => Outcome<T>

/** When a request began, and the world it read: a world that replaced it since must not be changed. */
export interface ReadView {
  moment: number
  world?: World | undefined
}

/** The events of the event stream. */
export type StoreEvent =
  | { type: 'request'; record: JournalRecord }
  /**
   * A merge patch on a world; `{}` if the account is new, null if it was deleted. `secrets`: the world's credentials after
   * it, which it may contain
   */
  | { type: 'change'; account: string; change: WorldChange | null; secrets: KnownSecrets }
  | { type: 'reset'; scenario: string }
  /** The journal was cleared, for one account or (undefined) for all. */
  | { type: 'cleared'; account: string | undefined }

/** How far back an account's world can be rewound. */
export interface RewindRange {
  /** Identifies the login's current world: a record with another birth belongs to another world */
  birth: number
  /** The oldest version it can be rewound to */
  oldest: number
}

/** Whether a store is usable. */
export interface StoreHealth {
  /** Why requests can't be handled at present */
  problem?: string
  /** Problems that don't stop requests */
  warnings: string[]
}

/** Usage of a shared store since the start. */
export interface StoreStats {
  /** Round trips */
  trips: number
  /** Total duration of all round trips */
  tripSeconds: number
  /** Commits that lost the race against another replica */
  conflicts: number
  /** Steps that ran again because of a conflict */
  reruns: number
  /** Requests that a full store couldn't add to its journal */
  unrecorded: number
}

/**
 * The state, the only way to change it, and the observed requests. Reads are up to date and include every acknowledged
 * change; after an `await`, read again.
 */
export interface Store {
  /** The current moment; a request remembers the one it began in (`ReadView`). */
  readonly moment: number
  /**
   * Runs a step on a login's world and makes its change durable. Synchronous for a local store if nothing changes.
   * @param readView a request that began earlier: what was reset since isn't touched, and no record is kept
   * @throws StorageError if the change couldn't be written; it was rolled back
   */
  transact: <T>(login: string | undefined, step: Step<T>, readView?: ReadView) => Awaitable<T>
  /** The scenario that a reset loads again. */
  scenario: () => Awaitable<State['scenario']>
  logins: () => Awaitable<string[]>
  world: (login: string) => Awaitable<World | undefined>
  /** Everything that is persisted, as a consistent view. */
  all: () => Awaitable<State>
  /** A login whose world meets a condition: preferably one that has the service. Undefined if there is none. */
  whose: (condition: Condition, service: string | undefined) => Awaitable<string | undefined>
  /** The assumptions of one account or of all: they decide which responses are possible. */
  readings: (login?: string) => Awaitable<Readings[]>
  /**
   * Journal and coverage, including every answered request.
   * @param account limits the coverage to one account; the journal always has all
   */
  observations: (account?: string) => Awaitable<Observations>
  /** Credentials of accounts, to redact when the sender is unknown. */
  credentials: () => KnownSecrets
  rewindRange: (login: string) => Awaitable<RewindRange | undefined>
  /** A copy of a world at a version; undefined if the history doesn't reach back that far. */
  worldAt: (login: string, birth: number, version: number) => Awaitable<World | undefined>
  /**
   * Rewinds a world to an earlier version. That is a change like any other: it gets the next version, and can be undone
   * itself.
   * @returns the new version; undefined if the history doesn't reach back that far, or the account was deleted or
   * replaced
   * @throws StorageError if nothing changed
   */
  rewind: (login: string, birth: number, version: number) => Promise<number | undefined>
  /** Adds an account; false if the login is taken. @throws StorageError if it wasn't added */
  create: (login: string, world: World) => Promise<boolean>
  /** Deletes an account with everything it owns; false if there is none. @throws StorageError if it wasn't deleted */
  remove: (login: string) => Promise<boolean>
  /** Replaces a login's world, and clears its part of the journal and coverage. */
  replaceAccount: (login: string, world: World) => Promise<void>
  /**
   * Replaces the whole state, journal and coverage included; the previous state becomes snapshot `before-load`.
   * @throws StorageError if nothing changed
   */
  replace: (state: State) => Promise<void>
  snapshot: () => Awaitable<Snapshot>
  /** Oldest first. */
  snapshots: () => Awaitable<Snapshot[]>
  /** Restores a snapshot but keeps the journal. Undefined if there is none of that name. @throws StorageError */
  restore: (id: string) => Promise<{ id: string; scenario: string } | undefined>
  /** Clears the journal of one account or of all; coverage is kept. */
  clearJournal: (account?: string) => Awaitable<void>
  /** Marks a recorded request whose response turned out not to reach its client. */
  markLost: (record: RawRecord) => void
  /** @returns unsubscribes */
  on: (listener: (event: StoreEvent) => void) => () => void
  /** Only for shared stores: resolves once listeners miss no further event without a `reset`; never rejects */
  whenListening?: () => Promise<void>
  /** Only requests that this process handled: other replicas log their own. */
  onOwnRequest: (listener: (record: JournalRecord) => void) => void
  health: () => Awaitable<StoreHealth>
  /** Only for shared stores */
  stats?: () => StoreStats
  close: () => Promise<void>
}

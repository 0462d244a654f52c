import type { Condition } from '../contract/Condition.ts'
import type { JournalRecord } from '../journal/Journal.ts'
import type { Observations } from '../journal/Observations.ts'
import type { RawRecord } from '../journal/RawRecord.ts'
import type { KnownSecrets } from '../journal/redaction/Redactor.ts'
import type { Instant } from '../world/time.ts'
import type { Readings } from '../world/readingOf.ts'
import type { World } from '../world/World.ts'
import type { WorldChange } from '../world/WorldChange.ts'
import type { Snapshot } from './Snapshots.ts'
import type { State } from './State.ts'

/** Accounts whose credentials are looked for in what nobody is known to have sent. */
export const mostCredentials = 200

/** What a local store has at hand, and a shared one asks for. */
export type Awaitable<T> = T | Promise<T>

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
  /** A merge patch on a world; `{}` if the account is new, null if it is gone. `world` is what it made. */
  | { type: 'change'; account: string; change: WorldChange | null; world: World | undefined }
  | { type: 'reset'; scenario: string }
  /** The journal was emptied, of one account or (undefined) of all. */
  | { type: 'cleared'; account: string | undefined }

/** How far back an account's world can be taken. */
export interface Reach {
  /** Which life of the login's world it is: a record of another birth is of another world. */
  birth: number
  /** The oldest version that can be gone back to */
  oldest: number
}

/** Whether a store can be worked with. */
export interface StoreHealth {
  /** Why nothing can be answered at present */
  problem?: string
  /** What is not as it should be, although all goes on */
  warnings: string[]
}

/** How a shared store was worked with since the start. */
export interface StoreStats {
  /** Round trips */
  trips: number
  /** Of all trips together */
  tripSeconds: number
  /** Commits that another replica was faster than */
  conflicts: number
  /** Steps that ran again for that */
  reruns: number
  /** Requests that a full store did not keep in its journal */
  unrecorded: number
  /** Worlds at hand */
  cachedWorlds: number
}

/**
 * The state, the one way to change it, and what was seen of the requests. What is read is as it is now, every change
 * that was answered included; whoever reads across an `await` reads again.
 */
export interface Store {
  /** The present moment: a request keeps the one in which it began (`Held`). */
  readonly moment: number
  /**
   * Runs a step on the world of a login, and makes its change last. Local and without a change, it is done at once.
   * @param held a request that began earlier: what was reset since is not touched, and no record is kept
   * @throws StorageError: the change could not be written, and was taken back
   */
  transact: <T>(login: string | undefined, step: Step<T>, held?: Held) => Awaitable<T>
  /** The scenario that a reset loads again. */
  scenario: () => Awaitable<State['scenario']>
  logins: () => Awaitable<string[]>
  world: (login: string) => Awaitable<World | undefined>
  /** All that lasts, as of one moment. */
  all: () => Awaitable<State>
  /** Whose world a condition holds in: with that service, else any. Undefined if it holds in none. */
  whose: (condition: Condition, service: string | undefined) => Awaitable<string | undefined>
  /** The readings that hold in the account of a login, or in any account: which answers can be given depends on them. */
  readings: (login?: string) => Awaitable<Readings[]>
  /**
   * Journal and coverage, every request that was answered included.
   * @param account whose coverage is wanted apart; the journal is that of all
   */
  observations: (account?: string) => Awaitable<Observations>
  /** Credentials of accounts, to be covered in what nobody is known to have sent. */
  credentials: () => KnownSecrets
  reach: (login: string) => Awaitable<Reach | undefined>
  /** A copy of a world as it was at a version; undefined if the history does not reach back that far. */
  worldAt: (login: string, birth: number, version: number) => Awaitable<World | undefined>
  /**
   * Takes a world back to a version that it had, which is a change like any other: it gets the next version, and can be
   * taken back itself.
   * @returns the version that it has then; undefined if the history does not reach back that far, or the account is
   * gone, or is another one of the same login
   * @throws StorageError: nothing changed
   */
  rewind: (login: string, birth: number, version: number) => Promise<number | undefined>
  /** Adds an account; false if the login is taken. @throws StorageError: then there is none */
  create: (login: string, world: World) => Promise<boolean>
  /** Takes an account away with all that it owns. @throws StorageError: then it is still there */
  remove: (login: string) => Promise<void>
  /** Puts another world in the place of a login's; its part of the journal and of the coverage begins anew. */
  replaceAccount: (login: string, world: World) => Promise<void>
  /**
   * Puts another state in the place of all, journal and coverage included; what it replaces is kept as snapshot
   * `before-load`.
   * @throws StorageError: nothing changed
   */
  replace: (state: State) => Promise<void>
  /** Keeps the present state. */
  snapshot: () => Awaitable<Snapshot>
  /** What is kept, the oldest first. */
  snapshots: () => Awaitable<Snapshot[]>
  /** Goes back to a kept state; the journal goes on. Undefined if there is none of that name. @throws StorageError */
  restore: (id: string) => Promise<{ id: string; scenario: string } | undefined>
  /** Empties the journal, of one account or of all; coverage stays. */
  clearJournal: (account?: string) => Awaitable<void>
  /** The answer of a recorded request turned out not to reach its client. */
  markLost: (record: RawRecord) => void
  /** @returns ends it */
  on: (listener: (event: StoreEvent) => void) => () => void
  /** Of the requests that this process answered: another's are not its to log. */
  onOwnRequest: (listener: (record: JournalRecord) => void) => void
  health: () => Awaitable<StoreHealth>
  /** Of a shared store alone */
  stats?: () => StoreStats
  close: () => Promise<void>
}

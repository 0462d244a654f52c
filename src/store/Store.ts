import type { Snapshot } from '../admin/shapes.ts'
import { holds, type Condition } from '../contract/Condition.ts'
import type { JournalRecord, Observations } from '../journal/Journal.ts'
import type { RawRecord } from '../journal/RawRecord.ts'
import type { KnownSecrets } from '../journal/redaction/Redactor.ts'
import { settle } from '../timeline/settle.ts'
import { change, difference, nextDue } from '../world/change.ts'
import type { FaultTarget } from '../world/invariants.ts'
import { type Instant, realTime, timeOf } from '../world/time.ts'
import type { Readings, World, WorldChange } from '../world/World.ts'
import type { State } from './State.ts'
import { StorageError } from './StorageError.ts'

/** A local store returns values right away, a shared one has to fetch them. */
export type Awaitable<T> = T | Promise<T>

/** Rewinds of which is kept what they undid */
const mostUndone = 100

/** The result of a step, and how it changes the world. */
export interface Outcome<T> {
  value: T
  change?: WorldChange | undefined
  /** Added to the journal once the change is durable */
  record?: RawRecord | undefined
}

/**
 * What is done with a world. It must be pure and synchronous, as it runs again if the world has changed meanwhile.
 * @param world undefined if no account has that login
 * @param real real time
 */
export type Step<T> = (world: World | undefined, real: Instant) => Outcome<T>

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
  /** `before` itself if nothing changes, what `changes` make of it, another world that takes its place, or none */
  after: World | undefined
  /** One version each; undefined if `after` takes the place of `before`, which becomes snapshot `before-load` */
  changes?: readonly Change[] | undefined
  record?: RawRecord | undefined
  /** Whether what takes its place begins a new journal and coverage of that account */
  isReset?: boolean
}

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

/** Whether a store is usable. */
export interface Health {
  /** Why requests can't be handled at present */
  problem?: string
  /** Problems that don't stop requests */
  warnings: string[]
}

/** How many snapshots are kept besides `before-load`; the oldest are dropped. */
export const mostSnapshots = 50

/** Name of the snapshot of what a load or reset replaced. */
export const beforeLoad = 'before-load'

/** How many accounts' credentials are searched for when the sender is unknown. */
const mostCredentials = 200

/** Milliseconds for which a step runs again because others were faster */
const longestContention = 5000

/**
 * The worlds, and the one way to change them: read one, run a step on it, commit what it made at the version that was
 * read, and run it again where somebody else was faster. Where the state is kept is up to the subclasses: in memory and in
 * a file (`LocalStore`), in Redis (`RedisStore`). What can't be done because disk or network fail throws a StorageError.
 */
export abstract class Store {
  readonly #operations: readonly FaultTarget[]

  /** @param operations what faults of a timeline may name */
  constructor(operations: readonly FaultTarget[]) {
    this.#operations = operations
  }

  /** The present world of a login, or one that `commit` will find to be overtaken */
  protected abstract read(login: string): Awaitable<World | undefined>
  /**
   * Writes what a step made, and resolves once it is durable. With `before === after` it says whether `before` is still
   * the present world, and adds the record.
   * @returns false if somebody else was faster: `read` has another world now
   */
  protected abstract commit(commit: Commit): Awaitable<boolean>
  protected abstract readAll(): Awaitable<State>
  /** The worlds that are at hand; of a shared store those that it has cached */
  protected abstract atHand(): Iterable<readonly [string, World]>
  protected abstract replaceAll(state: State, keepJournal: boolean): Awaitable<void>
  protected abstract keep(): Awaitable<Snapshot>
  /** The state of a snapshot. `only`: it has only this account, as it comes from the reset of one account */
  protected abstract snapshot(id: string): Awaitable<{ state: State; only?: string } | undefined>

  /** The scenario that a reset loads again. */
  abstract scenario(): Awaitable<State['scenario']>
  /** Oldest first; `before-load` last. */
  abstract snapshots(): Awaitable<readonly Snapshot[]>
  /** Journal and coverage, including every answered request. @param account limits the coverage to one account */
  abstract observations(account?: string): Awaitable<Observations>
  /** Clears the journal of one account or of all; coverage is kept. */
  abstract clearJournal(account?: string): Awaitable<void>
  /** The world that a request met; undefined if the history doesn't reach back that far. */
  abstract worldBefore(record: RawRecord): Awaitable<World | undefined>
  /** Marks a recorded request whose response turned out not to reach its client. */
  abstract markLost(record: RawRecord): void
  /** @returns unsubscribes */
  abstract on(listener: (event: StoreEvent) => void): () => void
  /** Only requests that this process handled, and changes that it made: other replicas log their own. */
  abstract onOwn(listener: (event: StoreEvent) => void): void
  /** Resolves once listeners miss no further event without a `reset`; never rejects. */
  abstract whenListening(): Promise<void>
  /** The present world, if that can be said without asking anybody */
  abstract peek(login: string): World | undefined
  /** The world that a request meets while its body is still coming: what is put in its place after that isn't changed. */
  abstract arrival(login: string): () => Awaitable<World | undefined>
  abstract health(): Awaitable<Health>
  /** Writes what is pending, and releases all resources. */
  abstract close(): Promise<void>

  /**
   * Runs a step on a login's world and makes its change durable; at once if there is nothing to wait for.
   * @param seen the world that an earlier part of the same request met: if another one was put in its place since, or it
   * was rewound, the step runs on that one and nothing of it is kept
   * @throws StorageError if the change couldn't be written; nothing has changed then
   */
  transact<T>(login: string | undefined, step: Step<T>, seen?: World): Awaitable<T> {
    const began = performance.now()
    const attempt = (tries: number): Awaitable<T> =>
      andThen(login === undefined ? undefined : this.read(login), (before) => {
        if (seen && (!before || !isSameOrigin(before, seen))) return step(seen, realTime()).value
        const { commit, value } = this.#run(login, before, step)
        return andThen(this.commit(commit), (isDone) => {
          if (isDone) return value
          requireTimeLeft(login, began, tries)
          return attempt(tries + 1)
        })
      })
    return attempt(1)
  }

  #run<T>(login: string | undefined, before: World | undefined, step: Step<T>): { commit: Commit; value: T } {
    const real = realTime()
    const changes: Change[] = []
    const settled = this.#settle(before, real, changes)
    const { value, change: patch, record } = step(settled, real)
    if (patch && settled) changes.push({ patch })
    // What a change makes due, as that of a clock, happens with it.
    const after = patch && settled ? this.#settle(change(settled, patch), real, changes) : settled
    return {
      commit: { login, before, after, changes: changes.length > 0 ? changes : undefined, record },
      value,
    }
  }

  /** The world once what is due has happened, and how it came to be. */
  #settle(world: World | undefined, real: Instant, changes: Change[]): World | undefined {
    if (!world) return undefined
    const due = nextDue(world)
    const now = due && timeOf(world.clock, real)
    if (!due || now === undefined || due.at > now) return world
    const settled = settle(world, now, this.#operations)
    changes.push(...settled.changes)
    return settled.world
  }

  /** Makes happen what is due in any of these worlds. @returns undefined if there is nothing to wait for */
  settleAll(worlds = this.atHand()): Awaitable<void> {
    const real = realTime()
    const waiting: Promise<unknown>[] = []
    for (const [login, world] of worlds) {
      const due = nextDue(world)
      if (!due || due.at > timeOf(world.clock, real)) continue
      const done = this.world(login)
      if (done instanceof Promise) waiting.push(done)
    }
    if (waiting.length > 0) return Promise.all(waiting).then(() => undefined)
  }

  world(login: string): Awaitable<World | undefined> {
    return this.transact(login, (world) => ({ value: world }))
  }

  /** Everything that is persisted, as it is now. */
  state(): Awaitable<State> {
    return andThen(this.settleAll(), () =>
      andThen(this.readAll(), (found) => {
        // Of a shared store, worlds that were not at hand have something due still.
        const settled = this.settleAll(found.accounts)
        return settled ? settled.then(() => this.readAll()) : found
      }),
    )
  }

  logins(): Awaitable<readonly string[]> {
    return andThen(this.readAll(), ({ accounts }) => [...accounts.keys()])
  }

  /** A login whose world meets a condition: preferably one that has the service. Undefined if there is none. */
  async whose(condition: Condition, service: string | undefined): Promise<string | undefined> {
    const { accounts } = await this.state()
    const matching = [...accounts].filter(([, world]) => holds(condition, world))
    const owner = matching.find(([, { services }]) => service !== undefined && services.has(service))
    return (owner ?? matching[0])?.[0]
  }

  /** The assumptions of one account or of all: they decide which responses are possible. */
  async readings(login?: string): Promise<Readings[]> {
    if (login === undefined) return [...(await this.state()).accounts.values()]
    const world = await this.world(login)
    return world ? [world] : []
  }

  /** Credentials of accounts at hand, to redact when the sender is unknown. */
  credentials(): KnownSecrets {
    const secrets: (string | readonly string[])[] = []
    for (const [, { password, tokens }] of this.atHand()) {
      secrets.push(password, tokens)
      if (secrets.length >= 2 * mostCredentials) break
    }
    return secrets
  }

  /** Adds an account; false if the login is taken. */
  async create(login: string, world: World): Promise<boolean> {
    return this.#place(login, (before) => (before ? undefined : { after: world }))
  }

  /** Deletes an account with everything it owns; false if there is none. */
  async remove(login: string): Promise<boolean> {
    return this.#place(login, (before) => before && { after: undefined })
  }

  /** Replaces a login's world, and begins its part of the journal and coverage anew. */
  async replaceAccount(login: string, world: World): Promise<void> {
    await this.#place(login, () => ({ after: world, isReset: true }))
  }

  /** @returns whether there was anything to do */
  async #place(
    login: string,
    decide: (before: World | undefined) => Pick<Commit, 'after' | 'isReset'> | undefined,
  ): Promise<boolean> {
    const began = performance.now()
    for (let tries = 1; ; tries++) {
      const before = await this.read(login)
      const decision = decide(before)
      // Without anything to do, it remains to be seen whether that was the present world.
      if (await this.commit({ login, before, after: before, ...decision })) return decision !== undefined
      requireTimeLeft(login, began, tries)
    }
  }

  /** Replaces everything, journal and coverage included; what was before becomes snapshot `before-load`. */
  async replace(state: State): Promise<void> {
    await this.replaceAll(state, false)
  }

  /**
   * Brings an account back to the moment before a request: a change like any other, with the next version.
   * @returns that version; undefined if the history doesn't reach back that far
   */
  async rewind(record: RawRecord): Promise<number | undefined> {
    const { account } = record
    const past = account === null ? undefined : await this.worldBefore(record)
    if (!past || account === null) return undefined
    return this.transact(account, (world) => {
      if (world?.origin.load !== past.origin.load) return { value: undefined }
      const version = world.version + 1
      const undone = [...(past.origin.undone ?? []), [past.version, version] as const].slice(-mostUndone)
      const origin = { ...past.origin, rewind: version, undone }
      return { value: version, change: difference(world, { ...past, origin }) }
    })
  }

  async takeSnapshot(): Promise<Snapshot> {
    await this.settleAll()
    return this.keep()
  }

  /** Restores a snapshot but keeps the journal. Undefined if there is none of that name. */
  async restore(id: string): Promise<{ id: string; scenario: string } | undefined> {
    const found = await this.snapshot(id)
    if (!found) return undefined
    const { state, only } = found
    if (only === undefined) await this.replaceAll(state, true)
    else await this.#place(only, () => ({ after: state.accounts.get(only) }))
    const { name } = await this.scenario() // of a snapshot of one account alone, the scenario stays
    return { id, scenario: name }
  }
}

/** Goes on with a value: at once if it is there. */
export function andThen<T, U>(value: Awaitable<T>, step: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(step) : step(value)
}

/**
 * A step runs again at once where others were faster: after a pause, what it read would be out of date for certain.
 * @throws StorageError if it has for too long
 */
function requireTimeLeft(login: string | undefined, began: number, tries: number): void {
  if (performance.now() - began > longestContention)
    throw new StorageError(
      `Account ${JSON.stringify(login)} changes too often: others were faster ${tries} times. Nothing has changed; try again.`,
    )
}

function isSameOrigin({ origin: a }: World, { origin: b }: World): boolean {
  return a.load === b.load && a.rewind === b.rewind
}

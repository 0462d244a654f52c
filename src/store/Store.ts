import { holds, type Condition } from '../contract/Condition.ts'
import type { Snapshot } from '../admin/shapes.ts'
import type { Observations } from '../journal/Journal.ts'
import type { RawRecord } from '../journal/RawRecord.ts'
import type { KnownSecrets } from '../journal/redaction/Redactor.ts'
import { change, difference, nextDue } from '../world/change.ts'
import { settle } from '../timeline/settle.ts'
import { type Instant, realTime, timeOf } from '../world/time.ts'
import type { FaultTarget } from '../world/invariants.ts'
import type { Readings, World, WorldChange } from '../world/World.ts'
import type { State } from './State.ts'
import type { Awaitable, Change, Commit, Health, Overtaken, Storage, StoreEvent } from './Storage.ts'
import { StorageError } from './StorageError.ts'

/** How often a step runs again because others were faster */
const mostTries = 50

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

/**
 * The worlds, and the one way to change them: read one, run a step on it, commit what it made at the version that was
 * read, and run it again where somebody else was faster. Reads are up to date and include every answered change.
 */
export class Store {
  readonly #storage: Storage
  readonly #operations: readonly FaultTarget[]

  /** @param operations what faults of a timeline may name */
  constructor(storage: Storage, operations: readonly FaultTarget[]) {
    this.#storage = storage
    this.#operations = operations
  }

  /**
   * Runs a step on a login's world and makes its change durable; at once if there is nothing to wait for.
   * @param seen the world that an earlier part of the same request met: if another one was put in its place since, or it
   * was rewound, the step runs on that one and nothing of it is kept
   * @throws StorageError if the change couldn't be written; nothing has changed then
   */
  transact<T>(login: string | undefined, step: Step<T>, seen?: World): Awaitable<T> {
    const world = login === undefined ? undefined : this.#storage.world(login)
    return world instanceof Promise
      ? world.then((found) => this.#attempt(login, found, step, seen))
      : this.#attempt(login, world, step, seen)
  }

  #attempt<T>(
    login: string | undefined,
    before: World | undefined,
    step: Step<T>,
    seen: World | undefined,
    tries = 1,
  ): Awaitable<T> {
    if (seen && (!before || !isSameOrigin(before, seen))) return step(seen, realTime()).value
    const real = realTime()
    const changes: Change[] = []
    const settled = this.#settle(before, real, changes)
    const { value, change: patch, record } = step(settled, real)
    if (patch && settled) changes.push({ patch })
    // What a change makes due, as that of a clock, happens with it.
    const after = patch && settled ? this.#settle(change(settled, patch), real, changes) : settled
    const done = this.#storage.commit({
      login,
      before,
      after,
      changes: changes.length > 0 ? changes : undefined,
      record,
    })
    if (done === undefined) return value
    const again = (overtaken: Overtaken | undefined): Awaitable<T> => {
      if (!overtaken) return value
      if (tries === mostTries) throw busy(login)
      return this.#attempt(login, overtaken.world, step, seen, tries + 1)
    }
    return done instanceof Promise ? done.then(again) : again(done)
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
  settleAll(worlds = this.#storage.atHand()): Awaitable<void> {
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

  /** A world that is at hand, without asking anybody: the one that a request began with. */
  peek(login: string): World | undefined {
    return this.#storage.peek(login)
  }

  /** The scenario that a reset loads again. */
  scenario(): Awaitable<State['scenario']> {
    return this.#storage.scenario()
  }

  logins(): Awaitable<readonly string[]> {
    return this.#storage.logins()
  }

  /** Everything that is persisted, as it is now. */
  state(): Awaitable<State> {
    const settled = this.settleAll()
    return settled instanceof Promise ? settled.then(() => this.#all()) : this.#all()
  }

  /** Of a shared storage, worlds that were not at hand have something due still. */
  #all(): Awaitable<State> {
    const state = this.#storage.state()
    if (!(state instanceof Promise)) return state
    return state.then(async (found) => {
      const settled = this.settleAll(found.accounts)
      if (!settled) return found
      await settled
      return this.#storage.state()
    })
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

  /** Journal and coverage, including every answered request. @param account limits the coverage to one account */
  observations(account?: string): Awaitable<Observations> {
    return this.#storage.observations(account)
  }

  /** Credentials of accounts, to redact when the sender is unknown. */
  credentials(): KnownSecrets {
    return this.#storage.credentials()
  }

  /** Adds an account; false if the login is taken. @throws StorageError if it wasn't added */
  async create(login: string, world: World): Promise<boolean> {
    return this.#place(login, (before) => (before ? undefined : { after: world }))
  }

  /** Deletes an account with everything it owns; false if there is none. @throws StorageError if it wasn't deleted */
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
    let before = await this.#storage.world(login)
    for (let tries = 1; tries <= mostTries; tries++) {
      const decision = decide(before)
      // Without anything to do, it remains to be seen whether that was the present world.
      const overtaken = await this.#storage.commit({ login, before, after: before, ...decision })
      if (!overtaken) return decision !== undefined
      before = overtaken.world
    }
    throw busy(login)
  }

  /** Replaces everything, journal and coverage included; what was before becomes snapshot `before-load`. */
  async replace(state: State): Promise<void> {
    await this.#storage.replace(state, false)
  }

  /** The world that a request met; undefined if the history doesn't reach back that far. */
  worldBefore(record: RawRecord): Awaitable<World | undefined> {
    return this.#storage.worldBefore(record)
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
    return this.#storage.takeSnapshot()
  }

  /** Oldest first. */
  snapshots(): Awaitable<readonly Snapshot[]> {
    return this.#storage.snapshots()
  }

  /** Restores a snapshot but keeps the journal. Undefined if there is none of that name. */
  async restore(id: string): Promise<{ id: string; scenario: string } | undefined> {
    const found = await this.#storage.snapshot(id)
    if (!found) return undefined
    const { state, only } = found
    if (only === undefined) await this.#storage.replace(state, true)
    else await this.#place(only, () => ({ after: state.accounts.get(only) }))
    const { name } = await this.scenario() // of a snapshot of one account alone, the scenario stays
    return { id, scenario: name }
  }

  /** Clears the journal of one account or of all; coverage is kept. */
  clearJournal(account?: string): Awaitable<void> {
    return this.#storage.clearJournal(account)
  }

  /** Marks a recorded request whose response turned out not to reach its client. */
  markLost(record: RawRecord): void {
    this.#storage.markLost(record)
  }

  /** @returns unsubscribes */
  on(listener: (event: StoreEvent) => void): () => void {
    return this.#storage.on(listener)
  }

  /** Resolves once listeners miss no further event; never rejects. */
  async whenListening(): Promise<void> {
    await this.#storage.whenListening?.()
  }

  /** Only requests that this process handled, and changes that it made: other replicas log their own. */
  onOwn(listener: (event: StoreEvent) => void): void {
    this.#storage.onOwn(listener)
  }

  health(): Awaitable<Health> {
    return this.#storage.health()
  }

  close(): Promise<void> {
    return this.#storage.close()
  }
}

function isSameOrigin({ origin: a }: World, { origin: b }: World): boolean {
  return a.load === b.load && a.rewind === b.rewind
}

function busy(login: string | undefined): StorageError {
  return new StorageError(
    `Account ${JSON.stringify(login)} changes too often: the request lost ${mostTries} races. Nothing has changed; try again.`,
  )
}

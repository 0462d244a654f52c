import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Snapshot } from '../admin/shapes.ts'
import type { Contract } from '../contract/Contract.ts'
import type { Coverage } from '../journal/Coverage.ts'
import type { Journal } from '../journal/Journal.ts'
import type { JournalRecord } from '../journal/JournalRecord.ts'
import type { KnownSecrets } from '../journal/redaction/Redactor.ts'
import { applyDue, type DueChange, maxDue } from '../timeline/applyDue.ts'
import { change, difference, nextDue } from '../world/change.ts'
import { clockAt, type Instant, realTime, timeOf } from '../world/time.ts'
import type { World, WorldChange } from '../world/World.ts'
import { placed, placedState, type State } from './State.ts'
import { StorageError } from './StorageError.ts'

/** A local store returns values right away, a shared one has to fetch them. */
export type Awaitable<T> = T | Promise<T>

/** The result of a step, and what it makes of the world. */
export interface Outcome<T> {
  value: T
  change?: WorldChange | undefined
  /** Takes the place of the world; null: there is none any more */
  instead?: World | null | undefined
  /** Whether what takes its place begins a new journal and coverage of that account */
  isReset?: boolean
  /** Added to the journal once the change is durable */
  record?: JournalRecord | undefined
}

/**
 * What is done with a world. It must be pure and synchronous, as it runs again if the world has changed meanwhile.
 * @param world undefined if no account has that login
 * @param real real time
 */
export type Step<T> = (world: World | undefined, real: Instant) => Outcome<T>

/** One change of a world, which gives it the next version. */
export type Change = Partial<Omit<DueChange, 'patch'>> & { patch: WorldChange | null }

/** A world after some of what was due, or all of it */
interface Applied {
  world: World | undefined
  changes: Change[]
  isComplete: boolean
}

/** What a step read and what it made of it, to be written in one go: all of it or nothing. */
export interface Commit {
  /** Undefined: the request names no account */
  login: string | undefined
  /** The world that was read; undefined if there is none of this login */
  before: World | undefined
  /** `before` itself if nothing changes, what `changes` make of it, another world that takes its place, or none */
  after: World | undefined
  /** One version each; of what is placed, `{}`, and null of what is removed */
  changes: readonly Change[]
  /** Whether `after` takes the place of `before`, which becomes snapshot `before-load` */
  isReplacement: boolean
  record?: JournalRecord | undefined
  isReset?: boolean | undefined
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

/** Whether a store is usable. */
export interface Health {
  /** Why requests can't be handled at present */
  problem?: string
  /** Problems that don't stop requests */
  warnings: string[]
}

/** A snapshot. `only`: it has only this account, as it comes from the reset of one account */
export interface SnapshotInfo extends Snapshot {
  only?: string | undefined
}

export interface StoreSettings {
  contract: Contract
  /** Maximum number of requests in the journal */
  journal: number
}

/** How many snapshots are kept besides `before-load`; the oldest are dropped. */
export const maxSnapshots = 50

/** Name of the snapshot of what a load or reset replaced. */
export const beforeLoad = 'before-load'

/** Rewinds of which is kept what they undid */
const maxUndone = 100

/** How many accounts' credentials are searched for when the sender is unknown. */
const maxCredentials = 200

/** Milliseconds of work on what is due before others get their turn */
const maxSlice = 50

/** How often a step runs because others were faster */
const maxTries = 1000

/**
 * The worlds, and the one way to change them: read one, run a step on it, commit what it made at the version that was
 * read, and run it again if somebody else was faster. Where the state is kept is up to the subclasses: in memory and in
 * a file (`LocalStore`), in Redis (`RedisStore`). What can't be done because disk or network fail throws a StorageError.
 */
export abstract class Store {
  readonly contract: Contract
  /** Told of what this process has committed, for its log: events come from all replicas */
  onCommit: ((commit: Commit) => void) | undefined
  protected readonly listeners = new Set<(event: StoreEvent) => void>()
  protected readonly lookUpCredentials = (): KnownSecrets => this.credentials()

  constructor(contract: Contract) {
    this.contract = contract
  }

  /** The present world of a login, or one that `commit` will find to be overtaken. What is due may not have happened in it. */
  abstract read(login: string): Awaitable<World | undefined>
  /**
   * Writes what a step made, and resolves once it is durable. With `before === after` it says whether `before` is still
   * the present world, and adds the record.
   * @returns false if somebody else was faster: `read` has another world now
   */
  protected abstract commit(commit: Commit): Awaitable<boolean>
  protected abstract readAll(): Awaitable<State>
  /** The worlds that are at hand; of a shared store those that it has cached */
  protected abstract cachedWorlds(): Iterable<readonly [string, World]>
  protected abstract replaceAll(state: State, keepJournal: boolean): Awaitable<void>
  protected abstract stateOf(kept: SnapshotInfo): Awaitable<State>

  /** Keeps the present state. */
  abstract takeSnapshot(): Awaitable<SnapshotInfo>
  /** The scenario that a reset loads again. */
  abstract scenario(): Awaitable<State['scenario']>
  /** Oldest first; `before-load` last. */
  abstract snapshots(): Awaitable<readonly SnapshotInfo[]>
  /** With every answered request */
  abstract journal(): Awaitable<Journal>
  abstract coverage(): Awaitable<Coverage>
  /** Clears the journal of one account or of all; coverage is kept. */
  abstract clearJournal(account?: string): Awaitable<void>
  /** The world that a request met; undefined if the history doesn't reach back that far. */
  abstract worldBefore(record: JournalRecord): Awaitable<World | undefined>
  /** Marks a recorded request whose response turned out not to reach its client. */
  abstract markLost(record: JournalRecord): void
  /** Resolves once listeners miss no further event without a `reset`; never rejects. */
  async whenListening(): Promise<void> {}
  health(): Awaitable<Health> {
    return { warnings: [] }
  }

  /** Writes what is pending, and releases all resources. */
  abstract close(): Promise<void>

  /**
   * Runs a step on a login's world and makes its change durable; at once if there is nothing to wait for.
   * @param seen the world that an earlier part of the same request met: if another one was put in its place since, or it
   * was rewound, the step runs on that one and nothing of it is kept
   * @throws StorageError if the change couldn't be written; nothing has changed then
   */
  transact<T>(login: string | undefined, step: Step<T>, seen?: World, tries = 1): Awaitable<T> {
    if (tries > maxTries) throw contended(login)
    const before = login === undefined ? undefined : this.read(login)
    if (!(before instanceof Promise)) return this.#attempt(login, before, step, seen, tries)
    // Others that waited for it may have gone on with it, so it is read once more.
    return before.then((world) =>
      world
        ? this.transact(login, step, seen, tries + 1)
        : this.#attempt(login, undefined, step, seen, tries),
    )
  }

  #attempt<T>(
    login: string | undefined,
    before: World | undefined,
    step: Step<T>,
    seen: World | undefined,
    tries: number,
  ): Awaitable<T> {
    const real = realTime()
    const finish = (commit: Commit, value: T): Awaitable<T> =>
      andThen(this.commit(commit), (isDone) => (isDone ? value : this.transact(login, step, seen, tries + 1)))
    if (seen && !(before && isSameOrigin(before, seen)))
      // What took its place may not be durable yet, and be taken back.
      return finish(
        { login, before, after: before, changes: [], isReplacement: false },
        step(seen, real).value,
      )
    const due = this.#applyDue(before, real)
    if (!due.isComplete)
      return andThen(this.#commitDue(login, before, due), () =>
        this.#applyRest(login).then(() => this.transact(login, step, seen, tries + 1)),
      )
    const changes: Change[] = due.changes
    let after = due.world
    let isComplete = true
    const { value, change: patch, instead, record, isReset } = step(after, real)
    const isReplacement = instead !== undefined
    if (isReplacement) {
      changes.splice(0, Infinity, { patch: instead && {} })
      after = instead ? placed(instead) : undefined
    } else if (patch && after) {
      const rest = this.#applyDue(change(after, patch), real) // what a change of the clock makes due
      changes.push({ patch }, ...rest.changes)
      after = rest.world
      isComplete = rest.isComplete
    }
    if (record) {
      record.before ??= before
      if (record.account === null) record.secrets = this.lookUpCredentials
    }
    const ended = finish({ login, before, after, changes, isReplacement, record, isReset }, value)
    return isComplete ? ended : andThen(ended, () => this.#applyRest(login).then(() => value))
  }

  /** Applies what is due, for a slice of time. */
  #applyDue(world: World | undefined, real: Instant): Applied {
    if (!world || !isDue(world, real)) return { world, changes: [], isComplete: true }
    const end = performance.now() + maxSlice
    const isPaused = (): boolean => performance.now() > end
    return applyDue(world, timeOf(world.clock, real), this.contract.operations, isPaused)
  }

  /**
   * Applies what is still due, slice by slice, while others get their turns. If more falls due than can be applied, the
   * clock waits: it is set to the instant that was reached.
   */
  async #applyRest(login: string | undefined): Promise<void> {
    for (let count = 0; ; await nextTurn()) {
      const before = login === undefined ? undefined : await this.read(login)
      const real = realTime()
      const due = this.#applyDue(before, real)
      count += due.changes.length
      const next = due.world && nextDue(due.world)
      if (due.world && next && !due.isComplete && count >= maxDue && !('frozen' in due.world.clock)) {
        const clock = clockAt(next.at - 1, false, real, due.world.clock.rate)
        due.changes.push({ patch: { clock }, description: 'the clock waited for what was due' })
        due.world = change(due.world, { clock })
        due.isComplete = true
      }
      if (due.changes.length === 0) return
      if ((await this.#commitDue(login, before, due)) && due.isComplete) return
    }
  }

  #commitDue(login: string | undefined, before: World | undefined, due: Applied): Awaitable<boolean> {
    return this.commit({ login, before, after: due.world, changes: due.changes, isReplacement: false })
  }

  /** Applies what is due in any of these worlds. @returns whether anything was */
  applyAllDue(worlds = this.cachedWorlds()): Awaitable<boolean> {
    const real = realTime()
    const due = [...worlds].filter(([, world]) => isDue(world, real))
    const all = due.map(([login]) => this.world(login))
    return all.some((one) => one instanceof Promise) ? Promise.all(all).then(() => true) : due.length > 0
  }

  world(login: string): Awaitable<World | undefined> {
    return this.transact(login, (world) => ({ value: world }))
  }

  /** Everything that is persisted, as it is now. */
  state(): Awaitable<State> {
    return andThen(this.readAll(), (found) =>
      andThen(this.applyAllDue(found.accounts), (isAny) => (isAny ? this.readAll() : found)),
    )
  }

  logins(): Awaitable<readonly string[]> {
    return andThen(this.readAll(), ({ accounts }) => [...accounts.keys()])
  }

  /** @returns unsubscribes */
  on(listener: (event: StoreEvent) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  protected emit(event: StoreEvent): void {
    for (const listener of this.listeners) listener(event)
  }

  /** Credentials of accounts at hand, to redact when the sender is unknown. */
  credentials(): KnownSecrets {
    const secrets: (string | readonly string[])[] = []
    for (const [, { password, tokens }] of this.cachedWorlds())
      if (secrets.push(password, tokens) >= 2 * maxCredentials) break
    return secrets
  }

  /** Adds an account; false if the login is taken. */
  create(login: string, world: World): Awaitable<boolean> {
    return this.transact(login, (taken) => ({ value: !taken, instead: taken ? undefined : world }))
  }

  /** Deletes an account with everything it owns; false if there is none. */
  remove(login: string): Awaitable<boolean> {
    return this.transact(login, (world) => ({ value: world !== undefined, instead: world && null }))
  }

  /** Replaces a login's world, and begins its part of the journal and coverage anew. */
  replaceAccount(login: string, instead: World): Awaitable<void> {
    return this.transact(login, () => ({ value: undefined, instead, isReset: true }))
  }

  /** Replaces everything, journal and coverage included; what was before becomes snapshot `before-load`. */
  async replace(state: State): Promise<void> {
    await this.replaceAll(placedState(state), false)
  }

  /**
   * Brings an account back to the moment before a request: a change like any other, with the next version.
   * @returns that version; undefined if the history doesn't reach back that far
   */
  async rewind(record: JournalRecord): Promise<number | undefined> {
    const past = await this.worldBefore(record)
    if (!past) return undefined
    return this.transact(record.account ?? undefined, (world) => {
      if (world?.origin.load !== past.origin.load) return { value: undefined }
      const version = world.version + 1
      const undone = [...(past.origin.undone ?? []), [past.version, version] as const].slice(-maxUndone)
      const origin = { ...past.origin, rewind: version, undone }
      return { value: version, change: difference(world, { ...past, origin }) }
    })
  }

  /** Restores a snapshot but keeps the journal. Undefined if there is none of that name. */
  async restore(id: string): Promise<{ id: string; scenario: string } | undefined> {
    const found = (await this.snapshots()).find((one) => one.id === id)
    if (!found) return undefined
    const { only } = found
    const state = await this.stateOf(found)
    if (only === undefined) await this.replaceAll(placedState(state), true)
    else await this.transact(only, () => ({ value: undefined, instead: state.accounts.get(only) }))
    const { name } = await this.scenario() // of a snapshot of one account alone, the scenario stays
    return { id, scenario: name }
  }
}

/** Goes on with a value: at once if it is there. */
export function andThen<T, U>(value: Awaitable<T>, step: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(step) : step(value)
}

/** What listeners hear of a commit: of a change before the request that made it. */
export function* eventsOf({ login: account = '', after, changes, record }: Commit): Generator<StoreEvent> {
  const secrets = after ? [after.password, after.tokens] : []
  for (const { patch, ...told } of changes) yield { type: 'change', account, change: patch, ...told, secrets }
  if (record) yield { type: 'request', record }
}

function isDue(world: World, real: Instant): boolean {
  const due = nextDue(world)
  return due !== undefined && due.at <= timeOf(world.clock, real)
}

function contended(login: string | undefined): StorageError {
  return new StorageError(
    `Account ${JSON.stringify(login)} changes too often: others were faster ${maxTries} times. Nothing has changed; try again.`,
  )
}

function isSameOrigin({ origin: a }: World, { origin: b }: World): boolean {
  return a.load === b.load && a.rewind === b.rewind
}

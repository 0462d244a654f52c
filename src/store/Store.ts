import { isDeepStrictEqual } from 'node:util'
import type { Snapshot } from '../contract/shapes.ts'
import type { Contract } from '../contract/Contract.ts'
import type { Coverage } from '../journal/Coverage.ts'
import type { Journal } from '../journal/Journal.ts'
import { isUndone, type JournalRecord } from '../journal/JournalRecord.ts'
import { applyDue, type DueChange } from '../timeline/applyDue.ts'
import { applyPatch, diffWorlds, nextDue } from '../world/change.ts'
import { withoutCount } from '../world/faults.ts'
import { type ShownChange, toShownChange } from '../world/shownChange.ts'
import { type ClockSetting, type Instant, realTime, getAccountTime } from '../world/time.ts'
import type { World, WorldChange } from '../world/World.ts'
import { withNewLoad, stateWithNewLoad, type State } from './State.ts'
import { StorageError } from './StorageError.ts'

/** Local stores return values synchronously; a shared store returns promises. */
export type Awaitable<T> = T | Promise<T>

/** The return value of a step, and its change. */
export interface StepResult<T> {
  value: T
  /** A merge patch on the world */
  change?: WorldChange | undefined
  /** Replaces the world; null deletes the account */
  replacement?: World | null | undefined
  /** Whether the replacement also clears the journal and coverage of the account */
  isReset?: boolean
  /** Added to the journal once the change is durable */
  record?: JournalRecord | undefined
  /** Replaces `value`, given the world after the transaction */
  getValue?: (after: World | undefined) => T
}

/**
 * Reads a world, and returns how to change it. A step must be pure and synchronous, because it runs again if the world changed
 * in the meantime.
 * @param world undefined if no account has that login
 * @param real real time
 * @param past the earlier worlds that `transact` was asked for
 */
export type Step<T> = (world: World | undefined, real: Instant, past: Past) => StepResult<T>

/**
 * An account as it was before its last changes by requests, by the number of these changes. Undefined if the history doesn't
 * go back that far.
 */
export type Past = ReadonlyMap<number, World | undefined>

export const noPast: Past = new Map()

/** When and in which world a step may run. */
export interface TransactOptions {
  /** The world when the request arrived. If it was replaced or rewound since, the step is refused */
  arrivedIn?: World | undefined
  /** How many changes by requests to go back for each earlier world that the step needs */
  lookBack?: ((world: World) => readonly number[]) | undefined
  /** Time by which a shared store must have responded to all calls, by `performance.now()` */
  deadline?: number | undefined
}

/** One change to a world, which gives the world its next version. */
export type Change = Partial<Omit<DueChange, 'patch'>> & { patch: WorldChange | null }

/** A world after its due timeline entries were applied. */
interface AppliedWorld {
  world: World | undefined
  changes: Change[]
}

/**
 * The result of a step as a compare-and-set: a store writes all of it if `before` is still the current world, otherwise nothing.
 */
export interface Commit {
  /** Undefined if the request names no account */
  login: string | undefined
  /** The world that was read; undefined if there is no account with this login */
  before: World | undefined
  /** `before` itself if nothing changes; else the world after `changes`, or a replacement; undefined for a deleted account */
  after: World | undefined
  /** One change per version. Its patch is `{}` for a replacement, null for a deletion */
  changes: readonly Change[]
  /** Whether `after` replaces `before`, which becomes the snapshot `before-load` */
  isReplacement: boolean
  record?: JournalRecord | undefined
  isReset?: boolean | undefined
}

export type StoreEvent =
  | { type: 'request'; record: JournalRecord }
  /** A merge patch on a world; `{}` if the account is new, null if it was deleted */
  | {
      type: 'change'
      account: string
      change: ShownChange | null
      description?: string | undefined
      skipped?: string | undefined
    }
  | { type: 'reset'; scenario: string }

/** Whether a store is usable. */
export interface StoreHealth {
  /** The reason, if requests can't be handled */
  problem?: string
  /** Problems that don't stop requests */
  warnings: string[]
}

/** A snapshot, with a function that returns its state. */
export interface SnapshotInfo extends Snapshot {
  /** Login, if only this account is in the snapshot, because its reset made the snapshot */
  account?: string | undefined
  state: () => Awaitable<State>
}

export interface StoreSettings {
  contract: Contract
  /** Maximum number of requests in the journal */
  journal: number
}

/** Maximum number of snapshots besides `before-load`; the oldest are dropped. */
export const maxSnapshots = 50

/** Name of the snapshot of the state that a load or reset replaced. */
export const beforeLoad = 'before-load'

/** Maximum number of rewinds whose undone versions are remembered. */
const maxUndone = 100

/** Maximum number of attempts before `transact` gives up on a contended account. */
const maxTries = 1000

/**
 * The worlds, and the only way to change them: read a world, run a step on it, and commit the result if the world is
 * unchanged. Otherwise run the step again. Subclasses define the storage: memory, with or without a file
 * (`LocalStore`), or Redis (`RedisStore`). They throw a StorageError if the disk or the network fails.
 */
export abstract class Store {
  readonly contract: Contract
  /** Called with each commit of this process, for its log. Events, in contrast, come from all replicas */
  onCommit: ((commit: Commit) => void) | undefined
  protected readonly listeners = new Set<(event: StoreEvent) => void>()

  constructor(contract: Contract) {
    this.contract = contract
  }

  /** Reads a world without applying its due timeline entries. If the world is outdated, `commit` rejects it. */
  abstract read(login: string, deadline?: number): Awaitable<World | undefined>
  /**
   * Writes a commit as a whole, and resolves once it is durable. With `before === after`, it only checks that `before` is
   * still the current world, and adds the record.
   * @returns false if `before` isn't the current world
   */
  protected abstract commit(commit: Commit, deadline?: number): Awaitable<boolean>
  protected abstract readAll(): Awaitable<State>
  /** The worlds in memory: all of them, or those that a replica has cached. */
  protected abstract cachedWorlds(): Iterable<readonly [string, World]>
  protected abstract replaceAll(state: State, keepJournal: boolean): Awaitable<void>

  abstract takeSnapshot(): Awaitable<SnapshotInfo>
  /** Oldest first; `before-load` last. */
  abstract snapshots(): Awaitable<readonly SnapshotInfo[]>
  /** The scenario that a reset loads again. */
  abstract scenario(): Awaitable<State['scenario']>
  /** @param deadline see `TransactOptions` */
  abstract journal(deadline?: number): Awaitable<Journal>
  abstract coverage(): Awaitable<Coverage>
  /** Clears the journal of one account or of all accounts, but not their coverage. */
  abstract clearJournal(account?: string): Awaitable<void>
  /** Marks a recorded request whose response didn't reach its client. */
  abstract markUndelivered(record: JournalRecord, endedAt: number): void
  /** Writes pending changes, and releases all resources. */
  abstract close(): Promise<void>

  /** Resolves once listeners receive every further event, or a `reset` instead. Never rejects. */
  async whenListening(): Promise<void> {}
  health(): Awaitable<StoreHealth> {
    return { warnings: [] }
  }

  /** The world before a request; undefined if the history doesn't reach back that far. */
  async worldBefore(record: JournalRecord, deadline?: number): Promise<World | undefined> {
    const world = await this.worldOf(record, deadline)
    return world && withoutCount(world, record.delayedBy)
  }

  /** The world in which a request was executed; undefined if the history doesn't reach back that far. */
  protected async worldOf(
    { account, before }: JournalRecord,
    _deadline?: number,
  ): Promise<World | undefined> {
    const current = before && (await this.read(account ?? ''))
    return before?.origin.load === current?.origin.load ? before : undefined
  }

  /**
   * An account's world as it was before its last changes by requests, not counting those that a rewind undid.
   * @returns undefined if the history has no such state
   */
  async #worldBeforeChanges(
    login: string,
    current: World,
    count: number,
    deadline: number | undefined,
  ): Promise<World | undefined> {
    const { records } = await this.journal(deadline)
    const changed = records.filter(
      (record) =>
        record.account === login &&
        record.change !== undefined &&
        record.origin?.load === current.origin.load &&
        !isUndone(record, current),
    )
    const record = changed.at(-count)
    return record && this.worldBefore(record, deadline)
  }

  /**
   * Runs a step on a login's world and makes its change durable. Local stores run everything up to the write synchronously.
   * @throws StorageError if the change couldn't be written; nothing has changed then
   */
  async transact<T>(
    login: string | undefined,
    step: Step<T>,
    { arrivedIn, lookBack, deadline }: TransactOptions = {},
  ): Promise<T> {
    for (let tries = 0; tries < maxTries; tries++) {
      // Without an await, no other code runs between reading a local world and committing.
      const read = login === undefined ? undefined : this.read(login, deadline)
      const before = read instanceof Promise ? this.#latest(login, await read) : read
      if (arrivedIn && !(before && isSameOrigin(before, arrivedIn))) throw replacedError(login)
      const real = realTime()
      const due = this.#applyDue(before, before?.clock, real)
      const counts = due.world && lookBack?.(due.world)
      const past = counts?.length
        ? await this.#past(login ?? '', due.world as World, counts, deadline)
        : noPast
      const result = step(due.world, real, past)
      const { value, record, isReset, replacement } = result
      const { world: after, changes } = this.#applyResult(due, result, real)
      if (record) record.before ??= before
      const isReplacement = replacement !== undefined
      const committing = this.commit(
        { login, before, after, changes, isReplacement, record, isReset },
        deadline,
      )
      if (committing instanceof Promise ? !(await committing) : !committing) continue
      return result.getValue ? result.getValue(after) : value
    }
    throw contentionError(login)
  }

  async #past(
    login: string,
    current: World,
    counts: readonly number[],
    deadline: number | undefined,
  ): Promise<Past> {
    const past = new Map<number, World | undefined>()
    for (const count of counts)
      past.set(count, await this.#worldBeforeChanges(login, current, count, deadline))
    return past
  }

  /** The latest world after a fetch. Several callers may have waited for it, and the first may already have changed the world. */
  #latest(login: string | undefined, fetched: World | undefined): World | undefined {
    const latest = login !== undefined && fetched ? this.read(login) : fetched
    if (!(latest instanceof Promise)) return latest
    latest.catch(() => {}) // it is no longer cached, so the commit will check whether it is the latest
    return fetched
  }

  /** The world of a step after the step's result. Entries due before a new time of the clock are applied first. */
  #applyResult(due: AppliedWorld, { change, replacement }: StepResult<unknown>, real: Instant): AppliedWorld {
    if (replacement !== undefined) return replaceWorld(replacement)
    if (!change || !due.world) return due
    const { clock = due.world.clock, ...others } = change
    const patched = patchWorld(due, others)
    const advanced = this.#applyDue(patched.world, clock as ClockSetting, real)
    const all = { world: advanced.world, changes: [...patched.changes, ...advanced.changes] }
    return change.clock ? patchWorld(all, { clock }) : all
  }

  #applyDue(world: World | undefined, clock: ClockSetting | undefined, real: Instant): AppliedWorld {
    if (!world || !clock || !isDue(world, getAccountTime(clock, real))) return { world, changes: [] }
    return applyDue(world, getAccountTime(clock, real), this.contract.operations)
  }

  /** Applies the due timeline entries of these worlds. @returns whether there were any */
  async applyAllDue(worlds = this.cachedWorlds()): Promise<boolean> {
    const real = realTime()
    const due = [...worlds].filter(([, world]) => isDue(world, getAccountTime(world.clock, real)))
    await Promise.all(due.map(([login]) => this.world(login)))
    return due.length > 0
  }

  world(login: string, options?: TransactOptions): Promise<World | undefined> {
    return this.transact(login, (world) => ({ value: world }), options)
  }

  async state(): Promise<State> {
    const state = await this.readAll()
    return (await this.applyAllDue(state.accounts)) ? this.readAll() : state
  }

  async logins(): Promise<readonly string[]> {
    return [...(await this.readAll()).accounts.keys()]
  }

  /** @returns a function that removes the listener */
  on(listener: (event: StoreEvent) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  protected emit(event: StoreEvent): void {
    for (const listener of this.listeners) listener(event)
  }

  /** Adds an account. @returns false if the login is taken */
  create(login: string, world: World): Promise<boolean> {
    return this.transact(login, (taken) => ({ value: !taken, replacement: taken ? undefined : world }))
  }

  /** Deletes an account and all that is known of it. @returns false if there is none */
  remove(login: string): Promise<boolean> {
    return this.transact(login, (world) => ({
      value: world !== undefined,
      replacement: world && null,
      isReset: true,
    }))
  }

  /** Replaces a login's world, and clears the account's journal and coverage. */
  replaceAccount(login: string, replacement: World): Promise<void> {
    return this.transact(login, () => ({ value: undefined, replacement, isReset: true }))
  }

  /** Replaces the whole state, including journal and coverage. The previous state becomes the snapshot `before-load`. */
  async replace(state: State): Promise<void> {
    await this.replaceAll(stateWithNewLoad(state), false)
  }

  /**
   * Returns an account to its state before a request. This is a change like any other, with the next version.
   * @returns the new version; undefined if the history doesn't reach back that far
   */
  async rewind(record: JournalRecord): Promise<number | undefined> {
    const past = await this.worldBefore(record)
    return past && this.#returnTo(record.account ?? '', past, record.id)
  }

  /** Returns an account to an earlier world of the same load. @returns the new version; undefined if it has another load */
  #returnTo(login: string, past: World, firstId?: number): Promise<number | undefined> {
    return this.transact(login, (world) => {
      if (world?.origin.load !== past.origin.load) return { value: undefined }
      const version = world.version + 1
      const ends = [past.version, version] as const
      const range = firstId === undefined ? ends : ([...ends, firstId] as const)
      const undone = [...(past.origin.undone ?? []), range].slice(-maxUndone)
      const origin = { ...past.origin, rewind: version, undone }
      return { value: version, change: diffWorlds(world, { ...past, origin }) }
    })
  }

  /**
   * Restores a snapshot and keeps the journal. An account that still has the load of the snapshot returns to that world by a change,
   * as by a rewind.
   * @returns undefined if no snapshot has that id
   */
  async restore(id: string): Promise<{ id: string; scenario: string } | undefined> {
    const snapshot = (await this.snapshots()).find((one) => one.id === id)
    if (!snapshot) return undefined
    const state = await snapshot.state()
    if (snapshot.account !== undefined) await this.#restoreAccount(snapshot.account, state)
    else await this.#restoreAll(state)
    const { name } = await this.scenario() // a snapshot of one account doesn't change the scenario
    return { id, scenario: name }
  }

  async #restoreAll(state: State): Promise<void> {
    const { scenario, accounts } = await this.state()
    const isSameLoad = [...accounts].some(([login, { origin }]) =>
      isSameLoadAs(origin, state.accounts.get(login)),
    )
    const removed = [...accounts.keys()].filter((login) => !state.accounts.has(login))
    if (isSameLoad && isDeepStrictEqual(scenario, state.scenario))
      for (const login of state.accounts.keys()) await this.#restoreAccount(login, state)
    else await this.replaceAll(stateWithNewLoad(state), true)
    for (const login of removed) await this.remove(login)
  }

  async #restoreAccount(login: string, { accounts }: State): Promise<void> {
    const past = accounts.get(login)
    if (past && (await this.#returnTo(login, past)) !== undefined) return
    await this.transact(login, () => ({ value: undefined, replacement: past ?? null }))
  }
}

/** The events of a commit. Changes come before the request that made them. */
export function* createEvents(commit: Pick<Commit, 'login' | 'changes' | 'record'>): Generator<StoreEvent> {
  const { login: account = '', changes, record } = commit
  for (const { patch, ...details } of changes)
    yield { type: 'change', account, change: patch && toShownChange(patch, realTime()), ...details }
  if (record) yield { type: 'request', record }
}

function replaceWorld(replacement: World | null): AppliedWorld {
  const world = replacement ? withNewLoad(replacement) : undefined
  return { world, changes: [{ patch: replacement && {} }] }
}

function patchWorld({ world, changes }: AppliedWorld, patch: WorldChange): AppliedWorld {
  if (!world || Object.keys(patch).length === 0) return { world, changes }
  return { world: applyPatch(world, patch), changes: [...changes, { patch }] }
}

function isDue(world: World, now: Instant): boolean {
  const due = nextDue(world)
  return due !== undefined && due.at <= now
}

function replacedError(login: string | undefined): StorageError {
  return new StorageError(
    `The account ${JSON.stringify(login)} was loaded, reset, rewound or deleted while the request was under way. Nothing was changed.`,
    { advice: 'Send the request again.' },
  )
}

function contentionError(login: string | undefined): StorageError {
  return new StorageError(
    `Too much contention on account ${JSON.stringify(login)}; gave up after ${maxTries} attempts. Nothing changed.`,
    { advice: 'Try again.' },
  )
}

function isSameLoadAs({ load }: World['origin'], other: World | undefined): boolean {
  return load === other?.origin.load
}

function isSameOrigin({ origin: a }: World, { origin: b }: World): boolean {
  return a.load === b.load && a.rewind === b.rewind
}

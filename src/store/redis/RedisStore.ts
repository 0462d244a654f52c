import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Coverage, coverageKey, type CoverageKey } from '../../journal/Coverage.ts'
import type { Journal } from '../../journal/Journal.ts'
import type { JournalRecord } from '../../journal/JournalRecord.ts'
import { toPairs } from '../../lib/http.ts'
import type { Interpretations, ScenarioDocument } from '../../scenario/ScenarioDocument.ts'
import { applyPatch, worldFromJson } from '../../world/change.ts'
import { realTime } from '../../world/time.ts'
import type { World, WorldChange, WorldData } from '../../world/World.ts'
import { stateWithNewLoad, type State } from '../State.ts'
import {
  maxSnapshots,
  Store,
  type Awaitable,
  type Change,
  type Commit,
  type SnapshotInfo,
  type StoreEvent,
  type StoreHealth,
  type StoreSettings,
} from '../Store.ts'
import { StorageError } from '../StorageError.ts'
import { Connection, type Arguments, type CallSettings } from './Connection.ts'
import { createEntry, type Entry } from './entries.ts'
import { accountMissing, foreignKey, outcomeUnknown, stateMissing } from './errors.ts'
import { LogReader, type LogReply } from './LogReader.ts'
import type { ScriptName } from './scripts.ts'

export interface RedisSettings extends StoreSettings {
  /** `redis://`, `rediss://` or `unix://` */
  url: string
  /** Key prefix, so that several deployments can share one Redis */
  prefix: string
  /** Override the interpretations in every scenario */
  assumptions?: Interpretations | undefined
  warn: (message: string) => void
}

/** Milliseconds of clock skew before a warning */
const maxSkew = 2000
/** Milliseconds between two reads of the log while there are listeners */
const followInterval = 20
/** Number of log entries beyond the journal's size, for changes by the control plane and undelivered responses */
const extraEntries = 1000
/** Maximum characters of JSON of all cached worlds */
const maxCache = 64 * 1024 * 1024
/** The world is rewritten as a whole once its changes exceed both this many characters and twice its own size. */
const maxLog = 65_536

/** A cached world. It is only returned to clients after Redis has confirmed that it is the current one. */
interface CachedWorld {
  /** The last world that Redis confirmed */
  confirmed?: World | undefined
  /**
   * The world after all commits in flight. Commits are sent in order, so later ones can build on it immediately. Undefined once
   * one of them has conflicted or failed
   */
  pending?: World | undefined
  fetching?: Promise<World | undefined> | undefined
  /** Length of the last full world in Redis, in characters */
  worldLength: number
  /** Length of the changes since that world */
  logLength: number
}

/**
 * The data that a cached world lacks: the token of the current commit (empty if there is no account), and either the whole
 * world or the changes since.
 */
type WorldDelta = [token: string, whole?: string, changes?: string[]]

/** The status of Redis and of the deployment */
type StoreStatus = [epoch: string, time: string, deployment: string, lastEntry: string, isVolatile: string]

type Deployment = Readonly<Record<'format' | 'journal' | 'interpretations', unknown>>

type KnownState = { knownToken: string | undefined; knownVersion: number | undefined }

interface StoredSnapshot extends Omit<SnapshotInfo, 'state'> {
  /** Id of the stored state, for `#readState` */
  state: number
}

/**
 * The state in Redis, shared by several replicas. Each replica caches worlds, but never responds from the cache alone, because
 * the script that adds a request's record first checks that the world is still the current one. All commits and events are in
 * one log, in order, from which replicas read the journal and events.
 */
export class RedisStore extends Store {
  readonly #connection: Connection
  /** Maximum number of entries in the log */
  readonly #maxEntries: number
  /** The settings that all replicas must share */
  readonly #deployment: string
  readonly #worlds = new Map<string, CachedWorld>()
  /** Tokens of the commits that led to worlds, for comparison in Redis */
  readonly #tokens = new WeakMap<World, string>()
  /** Id of the newest known log entry. If a reply is lost, the retry searches the log from here for its own commit. */
  #lastEntry: string | undefined
  readonly #log: LogReader
  #listening: Promise<unknown> | undefined
  #isClosed = false

  private constructor(connection: Connection, settings: RedisSettings) {
    super(settings.contract)
    const { journal, assumptions = {} } = settings
    const interpretations = Object.entries(assumptions).map(String).toSorted()
    this.#connection = connection
    this.#maxEntries = journal + extraEntries
    const read = async (from: string, deadline?: number): Promise<LogReply> =>
      (await this.#run('readLog', { from }, { deadline })) as LogReply
    this.#log = new LogReader(read, { journal, maxEntries: this.#maxEntries }, (event) => this.emit(event))
    this.#deployment = JSON.stringify({ format: 9, journal, interpretations })
  }

  /**
   * Joins the deployment in a store, or starts a new one.
   * @param initial the state to start with
   * @throws StorageError if the store can't be reached or used
   */
  static async open(
    settings: RedisSettings,
    initial: () => Promise<State>,
  ): Promise<{ store: RedisStore; joined: boolean }> {
    const { url, prefix, warn } = settings
    const connection = await Connection.open(url, prefix)
    const store = new RedisStore(connection, settings)
    try {
      const [epoch] = await store.#status()
      const joined = epoch !== '' || !(await store.#replace(stateWithNewLoad(await initial()), ''))
      const [, , deployment] = await store.#status()
      if (deployment !== store.#deployment)
        throw (
          differentFormat(prefix, connection.address, deployment, store.#deployment) ??
          new StorageError(
            `The replicas under the prefix ${prefix} of the store ${connection.address} use another ${differentSettings(deployment, store.#deployment)}.`,
            { advice: 'Start this one with the same settings, or use another prefix.' },
          )
        )
      const { warnings } = await store.health()
      for (const message of warnings) warn(message)
      void store.#follow()
      return { store, joined }
    } catch (error) {
      await store.close()
      throw error
    }
  }

  /** @throws StorageError */
  async #run(name: ScriptName, args: Arguments = {}, call: CallSettings = {}): Promise<unknown[]> {
    const all = { needsState: 1, maxEntries: this.#maxEntries, ...args }
    const reply = await this.#connection.run(name, all, call)
    const { address } = this.#connection
    if (reply[0] === 'stateMissing') throw stateMissing(address)
    if (reply[0] === 'foreign') throw foreignKey(address, reply[1] as string)
    return reply
  }

  override read(login: string, deadline?: number): Awaitable<World | undefined> {
    const cached = this.#worlds.get(login)
    return cached?.pending ?? cached?.fetching ?? this.#fetch(login, cached, deadline)
  }

  /** Fetches a world. Concurrent callers share one fetch. */
  #fetch(login: string, previous?: CachedWorld, deadline?: number): Promise<World | undefined> {
    const { confirmed, worldLength = 0, logLength = 0 } = previous ?? {}
    const cached: CachedWorld = { confirmed, worldLength, logLength }
    this.#worlds.set(login, cached)
    const load = async (): Promise<World | undefined> => {
      try {
        const [, delta] = await this.#run('world', { login, ...this.#knownState(confirmed) }, { deadline })
        this.#applyDelta(login, cached, delta as WorldDelta)
        this.#evict(login)
        return cached.pending
      } finally {
        cached.fetching = undefined
        if (!cached.pending && this.#worlds.get(login) === cached) this.#worlds.delete(login)
      }
    }
    return (cached.fetching = load())
  }

  /** The arguments that identify the cached world to a script. */
  #knownState(confirmed: World | undefined): KnownState {
    return { knownToken: confirmed && this.#tokens.get(confirmed), knownVersion: confirmed?.version }
  }

  /** Applies a delta from Redis to a cached world. */
  #applyDelta(login: string, cached: CachedWorld, [token, whole = '', changes = []]: WorldDelta): void {
    if (token === 'missing') throw accountMissing(this.#connection.address, login)
    if (token === '') return
    if (whole !== '') {
      cached.confirmed = worldFromJson(JSON.parse(whole) as WorldData)
      cached.worldLength = whole.length
      cached.logLength = 0
    }
    let world = cached.confirmed as World
    for (const text of changes) {
      for (const { patch } of JSON.parse(text) as Change[]) world = applyPatch(world, patch as WorldChange)
      cached.logLength += text.length
    }
    this.#tokens.set(world, token)
    cached.confirmed = world
    cached.pending = world
  }

  /** Drops the oldest worlds while the cache is too large. @param current the login that is about to be used */
  #evict(current: string): void {
    let size = 0
    for (const { worldLength, logLength } of this.#worlds.values()) size += worldLength + logLength
    for (const [login, { worldLength, logLength, fetching }] of this.#worlds) {
      if (size <= maxCache) break
      if (fetching || login === current) continue
      this.#worlds.delete(login)
      size -= worldLength + logLength
    }
  }

  protected override async commit(commit: Commit, deadline?: number): Promise<boolean> {
    const { login = '', before, after, record, isReplacement, isReset } = commit
    const token = randomUUID()
    const cached = this.#worlds.get(login)
    const isChange = before !== after
    const args = {
      login: commit.login,
      token,
      lastEntry: this.#lastEntry,
      knownToken: (before && this.#tokens.get(before)) ?? '',
      response: record && `${record.account ?? ''}\n${JSON.stringify(coverageKey(record)) ?? ''}`,
      entry: isChange || record ? JSON.stringify(createEntry(commit)) : undefined,
      ...(isChange && this.#changeArguments(commit, cached, token)),
      isReset: isReset ? 1 : undefined,
    }
    let isDone = false
    try {
      const [status, request, lastEntry] = await this.#run('commit', args, { isChange, deadline })
      if (status === 'unknown' && isChange)
        throw outcomeUnknown(this.#connection.address, 'no longer has the log of this change.')
      if (status !== 'done') return false
      isDone = true
      this.#lastEntry = lastEntry as string
      if (record) record.id = Number(request)
    } finally {
      // Commits that build on a conflicting or failed one conflict too.
      if (!isDone && cached && this.#worlds.get(login) === cached)
        this.#worlds.set(login, { ...cached, pending: undefined, fetching: undefined })
    }
    if (isReplacement) this.#worlds.delete(login)
    else if (cached && after) cached.confirmed = after
    this.onCommit?.(commit)
    return true
  }

  /**
   * Builds the script's arguments for a change, and adds the change to the cached world, so that later commits build on it
   * immediately. Redis runs them in order.
   */
  #changeArguments(
    { after, changes, isReplacement }: Commit,
    cached: CachedWorld | undefined,
    token: string,
  ): Arguments {
    const text = JSON.stringify(changes)
    if (!after) return { kind: 'remove', changes: text }
    const args = { kind: isReplacement ? 'put' : 'change', changes: text, version: after.version }
    if (isReplacement) return { ...args, world: JSON.stringify(after), time: isoNow() }
    this.#tokens.set(after, token)
    if (!cached) return args
    cached.pending = after
    cached.logLength += text.length
    if (cached.logLength <= Math.max(maxLog, 2 * cached.worldLength)) return args
    const world = JSON.stringify(after) // otherwise a fetch would have to apply too many changes
    cached.worldLength = world.length
    cached.logLength = 0
    return { ...args, world }
  }

  override async logins(): Promise<readonly string[]> {
    const [, logins] = await this.#run('logins')
    return logins as string[]
  }

  override async scenario(): Promise<State['scenario']> {
    return (await this.#readState()).scenario
  }

  protected override async readAll(): Promise<State> {
    const cached = new Map([...this.#worlds].map(([login, one]) => [login, { ...one }]))
    const knownStates = [...cached].map(([login, { confirmed }]) => [login, this.#knownState(confirmed)])
    return this.#readState({ known: JSON.stringify(Object.fromEntries(knownStates)) }, cached)
  }

  /** The scenario of a state, and its worlds if `known` is given. @throws StorageError if the state no longer exists */
  async #readState(args: Arguments = {}, cached = new Map<string, CachedWorld>()): Promise<State> {
    const reply = await this.#run('state', args)
    const [, name, document, rows] = reply as [string, string, string, [login: string, delta: WorldDelta][]]
    const accounts = rows.map(([login, delta]) => {
      const account = cached.get(login) ?? { worldLength: 0, logLength: 0 }
      this.#applyDelta(login, account, delta)
      return [login, account.pending as World] as const
    })
    return {
      scenario: { name, document: JSON.parse(document) as ScenarioDocument },
      accounts: new Map(accounts),
    }
  }

  protected override async replaceAll(state: State, keepJournal: boolean): Promise<void> {
    for (let isDone = false; !isDone; ) {
      const [epoch] = await this.#status()
      isDone = await this.#replace(state, epoch, keepJournal)
    }
  }

  /** @param knownEpoch the epoch to replace @returns false if it is no longer the current one */
  async #replace({ scenario, accounts }: State, knownEpoch: string, keepJournal?: boolean): Promise<boolean> {
    const args: Record<string, string | number | undefined> = {
      knownEpoch,
      token: randomUUID(),
      time: isoNow(),
      deployment: this.#deployment,
      scenario: scenario.name,
      entry: JSON.stringify({
        event: 'reset',
        scenario: scenario.name,
        keepJournal,
      } satisfies Entry),
      document: JSON.stringify(scenario.document),
      keepJournal: keepJournal ? 1 : undefined,
      needsState: undefined,
    }
    for (const [login, world] of accounts) args[`world ${world.version} ${login}`] = JSON.stringify(world)
    const [status] = await this.#run('replace', args, { isChange: true })
    if (status === 'conflict') return false
    this.#worlds.clear()
    return true
  }

  override async takeSnapshot(): Promise<SnapshotInfo> {
    const args = { time: isoNow(), maxSnapshots }
    const [, text] = await this.#run('snapshot', args, { isChange: true })
    return this.#snapshot(text as string)
  }

  override async snapshots(): Promise<readonly SnapshotInfo[]> {
    const [, all] = (await this.#run('snapshots')) as [string, string[]]
    return all.map((text) => this.#snapshot(text))
  }

  #snapshot(text: string): SnapshotInfo {
    const { state, ...info } = JSON.parse(text) as StoredSnapshot
    return { ...info, state: () => this.#readState({ state, known: '{}' }) }
  }

  override async coverage(): Promise<Coverage> {
    const [, counts] = await this.#run('coverage')
    const coverage = new Coverage(this.contract)
    for (const [name, hits] of toPairs(counts as string[])) {
      const [login, response] = name.split('\n') as [string, string]
      coverage.add(login || null, JSON.parse(response) as CoverageKey, Number(hits))
    }
    return coverage
  }

  override journal(deadline?: number): Promise<Journal> {
    return this.#log.journal(deadline)
  }

  override async clearJournal(account?: string): Promise<void> {
    const entry = JSON.stringify({ event: 'cleared', account } satisfies Entry)
    await this.#run('appendEvent', { entry, all: account === undefined ? 1 : undefined })
  }

  protected override async worldOf(
    { account, origin, version }: JournalRecord,
    deadline?: number,
  ): Promise<World | undefined> {
    const world = await this.world(account ?? '', { deadline })
    if (!world || version === null || world.origin.load !== origin?.load) return undefined
    await this.#log.update(deadline)
    return this.#log.undo(world, account, version)
  }

  override markUndelivered({ id }: JournalRecord, endedAt: number): void {
    if (id === 0) return // not in the journal
    const entry = JSON.stringify({ event: 'undelivered', endedAt } satisfies Entry)
    this.#run('appendEvent', { request: id, entry }).catch(() => {}) // the next request will report the failure
  }

  override on(listener: (event: StoreEvent) => void): () => void {
    let isWanted = true
    const begin = (): unknown => isWanted && this.listeners.add(listener)
    this.#listening = this.#log.update().then(begin, begin)
    return () => {
      isWanted = false
      this.listeners.delete(listener)
    }
  }

  /** Polls the log while there are listeners. */
  async #follow(): Promise<void> {
    for (; !this.#isClosed; await sleep(followInterval))
      if (this.listeners.size > 0) await this.#log.update().catch(() => {})
  }

  override async whenListening(): Promise<void> {
    await this.#listening
  }

  protected override *cachedWorlds(): Iterable<readonly [string, World]> {
    for (const [login, { pending }] of this.#worlds) if (pending) yield [login, pending]
  }

  async #status(): Promise<StoreStatus> {
    const [, ...status] = (await this.#connection.run('storeStatus')) as ['done', ...StoreStatus]
    this.#lastEntry = status[3]
    return status
  }

  override async health(): Promise<StoreHealth> {
    const { address } = this.#connection
    const warnings: string[] = []
    try {
      const began = realTime()
      const [, time, , , isVolatile] = await this.#status()
      if (isVolatile === '1')
        warnings.push(
          `The store ${address} has \`appendonly no\`: if Redis stops, changes since its last snapshot are lost. Set \`appendonly yes\`.`,
        )
      const skew = Math.abs(Number(time) - (began + realTime()) / 2)
      if (skew > maxSkew)
        warnings.push(
          `The clock of this machine differs by ${Math.round(skew) / 1000} s from the store's. An account's time then depends on which replica responds. Synchronize the clocks.`,
        )
      return { warnings }
    } catch (error) {
      return { problem: (error as Error).message, warnings }
    }
  }

  override async close(): Promise<void> {
    this.#isClosed = true
    this.#connection.close()
  }
}

/** The error if another version wrote the state; undefined if it has our format. */
function differentFormat(
  prefix: string,
  address: string,
  theirs: string,
  ours: string,
): StorageError | undefined {
  const [a, b] = [JSON.parse(theirs) as Deployment, JSON.parse(ours) as Deployment]
  if (a.format === b.format) return undefined
  return new StorageError(
    `The state under the prefix ${prefix} of the store ${address} has format ${String(a.format)}, and this version of proxysim uses format ${String(b.format)}. Nothing was changed.`,
    {
      advice: `Use the version that wrote it to export the state (\`proxysim state\`), then another prefix for this version, or delete the keys that begin with ${prefix}:.`,
    },
  )
}

/** Names the settings in which two deployments differ, for a message. */
function differentSettings(theirs: string, ours: string): string {
  const [a, b] = [JSON.parse(theirs) as Deployment, JSON.parse(ours) as Deployment]
  const names = [
    a.journal !== b.journal && `journal size (${String(a.journal)}, here ${String(b.journal)})`,
    String(a.interpretations) !== String(b.interpretations) && 'set of assumptions',
  ]
  return names.filter(Boolean).join(' and another ')
}

function isoNow(): string {
  return new Date(realTime()).toISOString()
}

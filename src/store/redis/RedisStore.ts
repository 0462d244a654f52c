import { hash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Coverage, countedResponse, type CountedResponse } from '../../journal/Coverage.ts'
import { Journal } from '../../journal/Journal.ts'
import type { JournalRecord } from '../../journal/JournalRecord.ts'
import { pairsOf } from '../../lib/http.ts'
import type { Interpretations, ScenarioDocument } from '../../scenario/ScenarioDocument.ts'
import { change, worldOf } from '../../world/change.ts'
import { realTime } from '../../world/time.ts'
import type { World, WorldChange, WorldData } from '../../world/World.ts'
import { stateOfNewLoad, type State } from '../State.ts'
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
import { Connection, type Arguments } from './Connection.ts'
import { entryOf, readRow, type Entry, type LogEntry, type Row } from './entries.ts'
import { lostAccount, lostState, unknown } from './refusals.ts'
import type { ScriptName } from './scripts.ts'

export interface RedisSettings extends StoreSettings {
  /** `redis://`, `rediss://` or `unix://` */
  url: string
  /** Key prefix, so that several deployments can share one Redis */
  prefix: string
  /** Interpretations that override those of every scenario */
  assumptions?: Interpretations | undefined
  warn: (message: string) => void
}

/** Milliseconds of clock skew before a warning */
const maxSkew = 2000
/** Milliseconds between two looks at the log, while somebody listens */
const followInterval = 20
/** Before all entries of the log */
const start = '0-0'
/** How much of what happened is kept beyond the journal: what the control plane does in between, and lost responses */
const moreEntries = 1000
/** Characters of JSON of all worlds that are cached */
const maxCache = 64 * 1024 * 1024
/** A whole world is written once the changes since the last are longer than this, and than twice the world. */
const maxLog = 65_536

/** A world, and what this replica makes of it. Nobody is answered from it before Redis has said that it is the present one. */
interface Cached {
  /** As Redis had it last */
  base?: World | undefined
  /** With what is under way: commits are sent in order, so others may build upon it at once. None once it was overtaken, or failed */
  tip?: World | undefined
  fetching?: Promise<World | undefined> | undefined
  /** Characters of the last whole world in Redis, and of the changes since */
  whole: number
  log: number
}

/** What a script says of a world: the token of the commit that made it (empty: there is none); then all that isn't known yet. */
type News = [token: string, whole?: string, changes?: string[]]

/** What Redis says of itself and of the deployment */
type Look = [epoch: string, time: string, deployment: string, last: string, isVolatile: string]

type LogReply = [status: string, rows: Row[], total: number, scenario: string]

interface StoredSnapshot extends Omit<SnapshotInfo, 'state'> {
  /** The number of its state */
  state: number
}

/**
 * The state in Redis, shared by several replicas. Each keeps worlds, but answers nothing from them: the script that
 * adds a request's record first compares which commit made the world that it read. All that happens is in one log, in
 * order; whoever reads it gets journal and events.
 */
export class RedisStore extends Store {
  readonly #connection: Connection
  readonly #journalSize: number
  /** The settings that all replicas must share */
  readonly #deployment: string
  readonly #worlds = new Map<string, Cached>()
  /** Which commit made a world: what Redis compares */
  readonly #tokens = new WeakMap<World, string>()
  /** An entry of the log that was there before all that is sent from now on */
  #last: string | undefined
  /** What the log says up to an entry: changes, the journal, how many requests it has had, and how many of them an account's clearing took */
  #cursor = start
  #history: Pick<LogEntry, 'account' | 'version' | 'undo'>[] = []
  #records: JournalRecord[] = []
  #total = 0
  #cleared = 0
  #reading: Promise<unknown> = Promise.resolve()
  #listening: Promise<unknown> | undefined
  #isClosed = false

  private constructor(connection: Connection, settings: RedisSettings) {
    super(settings.contract)
    const { contract, journal, assumptions = {} } = settings
    const digest = hash('sha256', JSON.stringify(contract.operations))
    const interpretations = Object.entries(assumptions).map(String).toSorted()
    this.#connection = connection
    this.#journalSize = journal
    this.#deployment = JSON.stringify({ format: 6, journal, contract: digest, interpretations })
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
      const [epoch] = await store.#look()
      const joined = epoch !== '' || !(await store.#replace(stateOfNewLoad(await initial()), ''))
      const [, , deployment] = await store.#look()
      if (deployment !== store.#deployment)
        throw new StorageError(
          `The replicas under the prefix ${prefix} of the store ${connection.address} run with a different contract, --journal, --assume or version of the simulator. Start with the same ones, or use another --store-prefix.`,
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
  async #run(name: ScriptName, args: Arguments = {}, isChange?: boolean): Promise<unknown[]> {
    const most = this.#journalSize + moreEntries
    const reply = await this.#connection.run(name, { needs: 1, most, ...args }, isChange)
    if (reply[0] === 'lost') throw lostState(this.#connection.address)
    return reply
  }

  override read(login: string): Awaitable<World | undefined> {
    const cached = this.#worlds.get(login)
    return cached?.tip ?? cached?.fetching ?? this.#fetch(login, cached)
  }

  /** Asked for once, however many want it */
  #fetch(login: string, known?: Cached): Promise<World | undefined> {
    const cached: Cached = { base: known?.base, whole: known?.whole ?? 0, log: known?.log ?? 0 }
    this.#worlds.set(login, cached)
    const ask = async (): Promise<World | undefined> => {
      try {
        const [, news] = await this.#run('world', { login, ...this.#known(cached.base) })
        this.#learn(login, cached, news as News)
        this.#bound(login)
        return cached.tip
      } finally {
        cached.fetching = undefined
        if (!cached.tip && this.#worlds.get(login) === cached) this.#worlds.delete(login)
      }
    }
    return (cached.fetching = ask())
  }

  /** What we have already, and needn't be told */
  #known(base: World | undefined): { known?: string | undefined; from?: number | undefined } {
    return { known: base && this.#tokens.get(base), from: base?.version }
  }

  /** Takes in what Redis says of a world. */
  #learn(login: string, cached: Cached, [token, whole = '', changes = []]: News): void {
    if (token === 'missing') throw lostAccount(this.#connection.address, login)
    if (token === '') return
    if (whole !== '') {
      cached.base = worldOf(JSON.parse(whole) as WorldData)
      cached.whole = whole.length
      cached.log = 0
    }
    let world = cached.base as World
    for (const text of changes) {
      for (const { patch } of JSON.parse(text) as Change[]) world = change(world, patch as WorldChange)
      cached.log += text.length
    }
    this.#tokens.set(world, token)
    cached.base = world
    cached.tip = world
  }

  /** Forgets worlds that were cached first, if there are too many. @param present the one that is wanted now */
  #bound(present: string): void {
    let size = 0
    for (const { whole, log } of this.#worlds.values()) size += whole + log
    for (const [login, { whole, log, fetching }] of this.#worlds) {
      if (size <= maxCache) break
      if (fetching || login === present) continue
      this.#worlds.delete(login)
      size -= whole + log
    }
  }

  protected override async commit(commit: Commit): Promise<boolean> {
    const { login = '', before, after, record, isReplacement, isReset } = commit
    const token = randomUUID()
    const cached = this.#worlds.get(login)
    const isChange = before !== after
    const args = {
      login: commit.login,
      token,
      last: this.#last,
      known: (before && this.#tokens.get(before)) ?? '',
      covers: record && `${record.account ?? ''}\n${JSON.stringify(countedResponse(record)) ?? ''}`,
      entry: isChange || record ? JSON.stringify(entryOf(commit)) : undefined,
      ...(isChange && after && this.#opening(before, after)),
      ...(isChange && this.#writes(commit, cached, token)),
      reset: isReset ? 1 : undefined,
    }
    let isDone = false
    try {
      const [status, request, last] = await this.#run('commit', args, isChange)
      if (status === 'unknown' && isChange) throw unknown(this.#connection.address, 'has forgotten it.')
      if (status !== 'done') return false
      isDone = true
      this.#last = last as string
      if (record) record.id = Number(request)
    } finally {
      // The first to be overtaken or to fail ends it for all that built upon it.
      if (!isDone && cached && this.#worlds.get(login) === cached)
        this.#worlds.set(login, { ...cached, tip: undefined, fetching: undefined })
    }
    if (isReplacement) this.#worlds.delete(login)
    else if (cached && after) cached.base = after
    this.onCommit?.(commit)
    return true
  }

  /** What a commit writes of the world. A descendant is at hand for others at once: what is sent later is run later. */
  #writes({ after, changes, isReplacement }: Commit, cached: Cached | undefined, token: string): Arguments {
    const text = JSON.stringify(changes)
    if (!after) return { kind: 'remove', changes: text }
    const args = { kind: isReplacement ? 'place' : 'change', changes: text, version: after.version }
    if (isReplacement) return { ...args, world: JSON.stringify(after), time: now() }
    this.#tokens.set(after, token)
    if (!cached) return args
    cached.tip = after
    cached.log += text.length
    if (cached.log <= Math.max(maxLog, 2 * cached.whole)) return args
    const world = JSON.stringify(after) // reading it would take too long else
    cached.whole = world.length
    cached.log = 0
    return { ...args, world }
  }

  /** Whether it comes to be among the accounts that may be open, or leaves them. */
  #opening(before: World | undefined, after: World): Arguments {
    const [was, is] = [before !== undefined && this.mayBeOpen(before), this.mayBeOpen(after)]
    return { open: was === is ? undefined : Number(is) }
  }

  override async logins(): Promise<readonly string[]> {
    const [, logins] = await this.#run('logins')
    return logins as string[]
  }

  override async scenario(): Promise<State['scenario']> {
    return (await this.#read()).scenario
  }

  protected override async readAll(only?: 'open'): Promise<State> {
    const cached = new Map([...this.#worlds].map(([login, one]) => [login, { ...one }]))
    const known = [...cached]
      .filter(([, { base }]) => only === undefined || (base && this.mayBeOpen(base)))
      .map(([login, { base }]) => [login, this.#known(base)])
    return this.#read({ worlds: JSON.stringify(Object.fromEntries(known)), only }, cached)
  }

  /** The scenario of a state, and its worlds if they are asked for. @throws StorageError if it is gone */
  async #read(args: Arguments = {}, cached = new Map<string, Cached>()): Promise<State> {
    const reply = await this.#run('state', args)
    const [, name, document, rows] = reply as [string, string, string, [login: string, news: News][]]
    const accounts = rows.map(([login, news]) => {
      const own = cached.get(login) ?? { whole: 0, log: 0 }
      this.#learn(login, own, news)
      return [login, own.tip as World] as const
    })
    return {
      scenario: { name, document: JSON.parse(document) as ScenarioDocument },
      accounts: new Map(accounts),
    }
  }

  protected override async replaceAll(state: State, keepsJournal: boolean): Promise<void> {
    for (let isDone = false; !isDone; ) {
      const [epoch] = await this.#look()
      isDone = await this.#replace(state, epoch, keepsJournal)
    }
  }

  /** @param known the state that is there @returns false if another one was faster */
  async #replace({ scenario, accounts }: State, known: string, keepsJournal?: boolean): Promise<boolean> {
    const args: Record<string, string | number | undefined> = {
      known,
      token: randomUUID(),
      time: now(),
      deployment: this.#deployment,
      scenario: scenario.name,
      entry: JSON.stringify({ event: 'reset', scenario: scenario.name, keepsJournal } satisfies Entry),
      document: JSON.stringify(scenario.document),
      keep: keepsJournal ? 1 : undefined,
      needs: undefined,
    }
    for (const [login, world] of accounts) {
      args[`world ${world.version} ${login}`] = JSON.stringify(world)
      if (this.mayBeOpen(world)) args[`open ${login}`] = 1
    }
    const [status] = await this.#run('replace', args, true)
    if (status === 'over') return false
    this.#worlds.clear()
    return true
  }

  override async takeSnapshot(): Promise<SnapshotInfo> {
    const args = { time: now(), snapshots: maxSnapshots }
    const [, text] = await this.#run('snapshot', args, true)
    return this.#snapshot(text as string)
  }

  override async snapshots(): Promise<readonly SnapshotInfo[]> {
    const [, all] = (await this.#run('snapshots')) as [string, string[]]
    return all.map((text) => this.#snapshot(text))
  }

  #snapshot(text: string): SnapshotInfo {
    const { state, ...info } = JSON.parse(text) as StoredSnapshot
    return { ...info, state: () => this.#read({ state, worlds: '{}' }) }
  }

  override async coverage(): Promise<Coverage> {
    const [, counts] = await this.#run('coverage')
    const coverage = new Coverage(this.contract)
    for (const [name, hits] of pairsOf(counts as string[])) {
      const [login, response] = name.split('\n') as [string, string]
      coverage.add(login || null, JSON.parse(response) as CountedResponse, Number(hits))
    }
    return coverage
  }

  override async journal(): Promise<Journal> {
    await this.#readOn()
    const journal = new Journal(this.#journalSize)
    journal.fill(this.#records, Math.max(0, this.#total - this.#cleared - this.#records.length))
    return journal
  }

  /** Takes in what the log says since it was read last, one reading after the other. */
  #readOn(): Promise<void> {
    const reading = this.#reading.catch(() => {}).then(() => this.#readLog())
    this.#reading = reading
    return reading
  }

  async #readLog(): Promise<void> {
    const [, rows, total, scenario] = (await this.#run('read', { after: this.#cursor })) as LogReply
    const entries = rows.map((row) => readRow(row, this.lookUpCredentials))
    if (entries[0]?.id === this.#cursor) entries.shift()
    else if (this.#cursor !== start) {
      // It isn't that log any more, or some of it was missed.
      this.#cursor = start
      return this.#readLog()
    } else {
      this.#history = []
      this.#forget()
      this.emit({ type: 'reset', scenario })
    }
    this.#total = total
    for (const entry of entries) this.#take(entry)
  }

  #take({ id, account = '', request, changes, record, event, ...entry }: LogEntry): void {
    this.#cursor = id
    if (entry.undo && changes.length > 0)
      this.#history.push({ account, version: entry.version, undo: entry.undo })
    if (this.#history.length > this.#journalSize + moreEntries) this.#history.shift()
    if (record && this.#records.push(record) > this.#journalSize) this.#records.shift()
    if (event === 'lost') for (const one of this.#records) if (one.id === request) one.lost = true
    if (event === 'cleared') this.#forget(account)
    else if (event === 'reset' && !entry.keepsJournal) this.#forget()
    const secrets = record?.secrets ?? entry.secrets ?? []
    for (const [i, { patch, ...told }] of changes.entries())
      this.emit({
        type: 'change',
        account,
        change: entry.shown?.[i]?.change ?? patch,
        ...told,
        secrets: typeof secrets === 'function' ? secrets() : secrets,
      })
    if (record) this.emit({ type: 'request', record })
    if (event === 'reset') this.emit({ type: 'reset', scenario: entry.scenario ?? '' })
  }

  /** @param account whose records; empty: all */
  #forget(account = ''): void {
    const kept = this.#records.filter((one) => account !== '' && one.account !== account)
    this.#cleared = account === '' ? 0 : this.#cleared + this.#records.length - kept.length
    this.#records = kept
  }

  override async clearJournal(account?: string): Promise<void> {
    const entry = JSON.stringify({ event: 'cleared', account } satisfies Entry)
    await this.#run('tell', { entry, all: account === undefined ? 1 : undefined })
  }

  override async worldBefore({ account, origin, version }: JournalRecord): Promise<World | undefined> {
    let world = await this.world(account ?? '')
    if (!world || version === null || world.origin.load !== origin?.load) return undefined
    await this.#readOn()
    for (const { undo = [], account: own, version: after } of this.#history.toReversed()) {
      if (world.version <= version) break
      if (own !== account || after !== world.version) continue
      for (const patch of undo.toReversed())
        if (world.version > version) world = { ...change(world, patch), version: world.version - 1 }
    }
    return world.version === version ? world : undefined
  }

  override markLost({ id }: JournalRecord): void {
    if (id === 0) return // it isn't in the journal
    const entry = JSON.stringify({ event: 'lost' } satisfies Entry)
    this.#run('tell', { request: id, entry }).catch(() => {}) // the next request hears of it
  }

  override on(listener: (event: StoreEvent) => void): () => void {
    let isWanted = true
    const begin = (): unknown => isWanted && this.listeners.add(listener)
    this.#listening = this.#readOn().then(begin, begin)
    return () => {
      isWanted = false
      this.listeners.delete(listener)
    }
  }

  /** Reads on in the log, while somebody listens. */
  async #follow(): Promise<void> {
    for (; !this.#isClosed; await sleep(followInterval))
      if (this.listeners.size > 0) await this.#readOn().catch(() => {})
  }

  override async whenListening(): Promise<void> {
    await this.#listening
  }

  protected override *cachedWorlds(): Iterable<readonly [string, World]> {
    for (const [login, { tip }] of this.#worlds) if (tip) yield [login, tip]
  }

  async #look(): Promise<Look> {
    const [, ...look] = (await this.#connection.run('look')) as [status: string, ...Look]
    this.#last = look[3]
    return look
  }

  override async health(): Promise<StoreHealth> {
    const { address } = this.#connection
    const warnings: string[] = []
    try {
      const began = realTime()
      const [, time, , , isVolatile] = await this.#look()
      if (isVolatile === '1')
        warnings.push(
          `The store ${address} has \`appendonly no\`: if it stops, everything answered since its last snapshot is lost. Set \`appendonly yes\`.`,
        )
      const skew = Math.abs(Number(time) - (began + realTime()) / 2)
      if (skew > maxSkew)
        warnings.push(
          `The clock of this machine differs by ${Math.round(skew) / 1000} s from the store's. Worlds show the time of the replica that answers: set the clock.`,
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

function now(): string {
  return new Date(realTime()).toISOString()
}

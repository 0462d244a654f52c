import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Snapshot } from '../../admin/shapes.ts'
import type { Contract } from '../../contract/Contract.ts'
import { responseName } from '../../journal/Coverage.ts'
import { JournalRecord, Observations } from '../../journal/Journal.ts'
import type { RawRecord } from '../../journal/RawRecord.ts'
import type { KnownSecrets } from '../../journal/redaction/Redactor.ts'
import { pairsOf } from '../../lib/http.ts'
import type { SimulatorOptions } from '../../SimulatorOptions.ts'
import { change } from '../../world/change.ts'
import { realTime } from '../../world/time.ts'
import type { World, WorldChange } from '../../world/World.ts'
import { loaded, type State } from '../State.ts'
import { mostSnapshots, Store, type Change, type Commit, type Health, type StoreEvent } from '../Store.ts'
import type { Arguments, Connection } from './Connection.ts'
import { fieldsOf, readRecord, undoing, writeRecord, type Entry, type Fields } from './entries.ts'
import { differs, lostAccount, lostState } from './refusals.ts'
import type { ScriptName } from './scripts.ts'
import { WorldCache, type News } from './WorldCache.ts'

export interface RedisSettings {
  /** `redis://`, `rediss://` or `unix://` */
  url: string
  /** Key prefix, so that several deployments can share one Redis */
  prefix: string
  contract: Contract
  /** Maximum number of requests in the journal */
  journal: number
  /** Readings that override those of every scenario */
  assumptions?: SimulatorOptions['assumptions']
  warn: (message: string) => void
}

/** Milliseconds of clock skew before a warning */
const largestSkew = 2000
/** Milliseconds between two looks at the store, as it doesn't report a lost state itself */
const lookInterval = 10_000
/** Milliseconds after which a request whose body is still coming notes which world it has met */
const slowBody = 50
/** Milliseconds before events are waited for again after a cut */
const pause = 100
/** How much of what happened is kept beyond the journal: what the control plane does in between, and lost responses */
const moreEntries = 1000

type Row = [login: string, news: News]

interface StoredSnapshot extends Snapshot {
  state: number
  /** The login, if it has a single account */
  only?: string
}

/**
 * The state in Redis, shared by several replicas. Each keeps worlds, but answers nothing from them: the script that
 * adds a request's record first compares which commit made the world that it read. All that happens is in one log, in
 * order; whoever reads it gets journal and events.
 */
export class RedisStore extends Store {
  readonly #settings: RedisSettings
  readonly #connection: Connection
  readonly #replica = randomUUID()
  #commits = 0
  readonly #worlds = new WorldCache()
  readonly #fetching = new Map<string, Promise<World | undefined>>()
  /** The last one that was read */
  #scenario: State['scenario'] | undefined
  /** What the log says up to an entry */
  #records: JournalRecord[] = []
  #cursor = '0-0'
  /** The number of the last event that listeners heard of; undefined if they may have missed some */
  #told: number | undefined = Infinity
  /** The number of the last event that we know of */
  #event = 0
  readonly #listeners = new Set<(event: StoreEvent) => void>()
  #listening: Promise<void> | undefined
  #own: ((event: StoreEvent) => void) | undefined
  readonly #warnings = new Map<string, string>()
  readonly #timer: NodeJS.Timeout
  #isFollowing = false
  #isClosed = false

  constructor(connection: Connection, settings: RedisSettings) {
    super(settings.contract.operations)
    this.#settings = settings
    this.#connection = connection
    connection.watch(
      () => this.#forget(),
      () => void this.health(),
    )
    this.#timer = setInterval(() => void this.health(), lookInterval).unref()
  }

  /** Joins what is there, or begins with an initial state. @returns whether it joined */
  async begin(initial: () => Promise<State>): Promise<boolean> {
    const { epoch } = await this.#look()
    if (epoch === '' && (await this.#replace(await initial(), ''))) return false
    const [, , , , deployment] = await this.#connection.run('look')
    if (deployment !== this.#deployment) throw differs(this.#connection.address, this.#settings.prefix)
    await this.scenario()
    return true
  }

  /** The settings that all replicas must share */
  get #deployment(): string {
    const { contract, journal, assumptions = {} } = this.#settings
    const digest = createHash('sha256').update(JSON.stringify(contract.operations)).digest('base64url')
    const readings = Object.entries(assumptions).map(String).toSorted()
    return JSON.stringify({ format: 4, journal, contract: digest, readings })
  }

  /** All that came over a connection may be stale or lost once it has ended. */
  #forget(): void {
    this.#worlds.clear()
    this.#records = []
    this.#cursor = '0-0'
  }

  /** Warns, now and in the health. */
  warn(message: string, kind = message): void {
    if (this.#warnings.get(kind) !== message) this.#settings.warn(message)
    this.#warnings.set(kind, message)
  }

  /** @throws StorageError */
  async #run(
    name: ScriptName,
    args: Arguments = {},
    how: { changes?: boolean; isPatient?: boolean } = {},
  ): Promise<unknown[]> {
    const most = this.#settings.journal + moreEntries
    const reply = await this.#connection.run(name, { needs: 1, most, ...args }, how)
    if (reply[0] === 'lost') throw lostState(this.#connection.address)
    return reply
  }

  /** None is: the one at hand may have been replaced, which only Redis can say. */
  override peek(): undefined {}

  override arrival(login: string): () => Promise<World | undefined> | undefined {
    let met: Promise<World | undefined> | undefined
    const look = (): void => {
      met = (async () => this.world(login))()
      met.catch(() => {})
    }
    const timer = setTimeout(look, slowBody).unref()
    return () => {
      clearTimeout(timer)
      return met
    }
  }

  protected override read(login: string): World | undefined | Promise<World | undefined> {
    const branch = this.#worlds.get(login)
    return branch && !branch.isBehind ? branch.tip : this.#fetch(login)
  }

  /** Asked for once, however many want it */
  #fetch(login: string): Promise<World | undefined> {
    const fetching =
      this.#fetching.get(login) ?? this.#fetchWorld(login).finally(() => this.#fetching.delete(login))
    this.#fetching.set(login, fetching)
    return fetching
  }

  async #fetchWorld(login: string): Promise<World | undefined> {
    const base = this.#worlds.get(login)?.base
    const [status, news] = await this.#run('world', { login, ...this.#known(base) })
    return status === 'missing' ? this.#lost(login) : this.#worlds.learn(login, base, news as News)
  }

  /** What we have already, and needn't be told */
  #known(base: World | undefined): Arguments {
    return { base: this.#worlds.tokenOf(base), from: base?.version }
  }

  #lost(login: string): never {
    throw lostAccount(this.#connection.address, login)
  }

  protected override async commit(commit: Commit): Promise<boolean> {
    const { login, before, after, changes, record } = commit
    const token = `${this.#replica}.${++this.#commits}`
    const isChange = before !== after
    const branch = login === undefined ? undefined : this.#worlds.get(login)
    const base = branch?.base
    const known = this.#worlds.tokenOf(before)
    const args = {
      token,
      ...(login !== undefined && { login, known, ...this.#known(base) }),
      ...(isChange && this.#writes(commit, token)),
      ...(record && this.#recording(commit, record)),
    }
    try {
      const [status, told, event] = await this.#run('commit', args, { changes: isChange })
      if (status === 'unknown') throw this.#connection.unknownOutcome()
      if (login !== undefined && status === 'missing') this.#lost(login)
      if (login !== undefined && status === 'over') {
        this.#worlds.overtaken(login, branch, base, told as News | undefined)
        return false
      }
      if (record) record.id = Number(told)
      this.#event = Math.max(this.#event, Number(event))
    } catch (error) {
      if (isChange) this.#worlds.forget(login)
      throw error
    }
    if (login !== undefined && changes && after) this.#worlds.succeed(login, after)
    else if (isChange) this.#worlds.forget(login)
    this.#tellOwn(commit)
    return true
  }

  /** What a commit writes of the world. A descendant is at hand for others at once: what is sent later is run later. */
  #writes({ login = '', before, after, changes, isReset }: Commit, token: string): Arguments {
    if (!after) return { remove: 1 }
    const version = after.version
    const secrets = JSON.stringify([after.password, after.tokens])
    if (before && changes) {
      const text = JSON.stringify(changes)
      const world = this.#worlds.begin(login, after, token, text.length) ? JSON.stringify(after) : undefined
      return { version, changes: text, undo: JSON.stringify(undoing(before, changes)), world, secrets }
    }
    const world = JSON.stringify(loaded(after, 0))
    return { version, world, secrets, time: now(), reset: isReset ? 1 : undefined }
  }

  #recording({ before, changes = [] }: Commit, record: RawRecord): Arguments {
    record.before ??= before
    record.origin ??= before?.origin
    return {
      record: writeRecord(record, changes),
      account: record.account ?? '',
      response: responseName(record),
      secrets: undefined, // the record has them
    }
  }

  #tellOwn({ login: account, after, changes, record }: Commit): void {
    const secrets = after ? [after.password, after.tokens] : []
    if (account !== undefined)
      for (const { patch, ...told } of changes ?? [])
        this.#own?.({ type: 'change', account, change: patch, ...told, secrets })
    if (!record) return
    if (record.account === null) record.secrets = () => this.credentials()
    this.#own?.({ type: 'request', record: new JournalRecord({ ...record }) })
  }

  override async scenario(): Promise<State['scenario']> {
    try {
      const { scenario } = await this.#read()
      return scenario
    } catch (error) {
      if (!this.#scenario) throw error
      return this.#scenario // lets a reset recover from a lost state
    }
  }

  protected override async readAll(): Promise<State> {
    const bases = new Map(this.#worlds.all().map(([login, { base }]) => [login, base]))
    const known = [...bases].map(([login, base]) => [
      login,
      { token: this.#worlds.tokenOf(base), version: base.version },
    ])
    const { scenario, rows } = await this.#read({ worlds: JSON.stringify(Object.fromEntries(known)) })
    const present = (login: string, news: News): World =>
      this.#worlds.learn(login, bases.get(login), news) ?? this.#lost(login)
    return { scenario, accounts: new Map(rows.map(([login, news]) => [login, present(login, news)])) }
  }

  /** @throws StorageError if that state is gone */
  async #read(args: Arguments = {}): Promise<{ scenario: State['scenario']; rows: Row[] }> {
    const reply = await this.#run('state', args, { isPatient: true })
    if (reply[0] === 'gone') throw lostState(this.#connection.address)
    const [, name, document, rows] = reply as [string, string, string, Row[]]
    const scenario = { name, document: JSON.parse(document) as State['scenario']['document'] }
    if (args['state'] === undefined) this.#scenario = scenario
    return { scenario, rows }
  }

  protected override async replaceAll(state: State, keepJournal: boolean): Promise<void> {
    while (!(await this.#replace(state, (await this.#look()).epoch, keepJournal)));
  }

  /** @param known the state that is there @returns false if another one was faster */
  async #replace({ scenario, accounts }: State, known: string, keepJournal = false): Promise<boolean> {
    const worlds = [...accounts].map(([login, world]) => [
      `world ${world.version} ${login}`,
      JSON.stringify(loaded(world, 0)),
    ])
    const args = {
      known,
      token: `${this.#replica}.${++this.#commits}`,
      time: now(),
      deployment: this.#deployment,
      scenario: scenario.name,
      document: JSON.stringify(scenario.document),
      keep: keepJournal ? 1 : undefined,
      needs: undefined,
      ...Object.fromEntries(worlds),
    }
    const [status] = await this.#run('replace', args, { changes: true, isPatient: true })
    if (status === 'over') return false
    this.#worlds.clear()
    this.#scenario = scenario
    return true
  }

  protected override async keep(): Promise<Snapshot> {
    const args = { time: now(), snapshots: mostSnapshots }
    const [, text] = await this.#run('snapshot', args, { changes: true, isPatient: true })
    return shown(JSON.parse(text as string) as StoredSnapshot)
  }

  override async snapshots(): Promise<readonly Snapshot[]> {
    return (await this.#snapshots()).map(shown)
  }

  async #snapshots(): Promise<StoredSnapshot[]> {
    const [, all] = (await this.#run('snapshots')) as [string, string[]]
    return all.map((text) => JSON.parse(text) as StoredSnapshot)
  }

  protected override async snapshot(id: string): Promise<{ state: State; only?: string } | undefined> {
    const found = (await this.#snapshots()).find((one) => one.id === id)
    if (!found) return undefined
    const { scenario, rows } = await this.#read({ state: found.state, worlds: '{}' })
    const cache = new WorldCache()
    const accounts = new Map(
      rows.map(([login, news]) => [login, cache.learn(login, undefined, news) ?? this.#lost(login)]),
    )
    return { state: { scenario, accounts }, ...(found.only !== undefined && { only: found.only }) }
  }

  override async observations(account?: string): Promise<Observations> {
    await this.whenListening()
    const [, entries, total, counts] = await this.#run('read', { after: this.#cursor, account })
    this.#take(entries as Entry[])
    const { contract, journal } = this.#settings
    const observations = new Observations(contract, journal)
    observations.journal.fill(this.#records, Math.max(0, Number(total) - this.#records.length))
    for (const [response, hits] of pairsOf(counts as string[]))
      if (Number(hits) > 0) observations.coverage.add(account ?? null, response, Number(hits))
    return observations
  }

  /** Takes in what the log says, unless that was done before, and tells listeners of what they haven't heard of. */
  #take(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const event = numberOf(entry[0])
      if (event <= numberOf(this.#cursor)) continue
      this.#cursor = entry[0]
      const fields = fieldsOf(entry)
      const record = fields['r'] === undefined ? undefined : this.#recordOf(entry[0], fields)
      this.#keepRecord(fields, record)
      if (this.#told !== undefined && event <= this.#told) continue
      if (event !== (this.#told ?? Infinity) + 1) this.#miss()
      this.#told = event
      for (const one of eventsOf(fields, record)) this.#emit(one)
    }
    this.#event = Math.max(this.#event, numberOf(this.#cursor))
  }

  #recordOf(id: string, fields: Fields): JournalRecord {
    return readRecord(Number.parseInt(id, 10), fields, () => this.credentials())
  }

  /** The journal, as the log tells of it */
  #keepRecord({ e, a, i, k }: Fields, record: JournalRecord | undefined): void {
    if (record && this.#records.push(record) > this.#settings.journal) this.#records.shift()
    if (e === 'cleared') this.#records = this.#records.filter(({ raw }) => a !== '' && raw.account !== a)
    else if (e === 'reset' && k === '') this.#records = []
    else if (e === 'lost') for (const { raw } of this.#records) if (String(raw.id) === i) raw.lost = true
  }

  /** Some events can't be told any more. */
  #miss(): void {
    this.#emit({ type: 'reset', scenario: this.#scenario?.name ?? '' })
  }

  /** Looks at the store: if its last event is before one that we knew of, it has lost some. */
  async #look(): Promise<{ epoch: string; time: number }> {
    const known = this.#event
    const [, epoch, time, last] = await this.#connection.run('look')
    const event = Number(last)
    if (event < known) {
      this.#forget()
      if (event > 0)
        this.warn(
          `The store ${this.#connection.address} came back older than it was: changes that were answered are lost. Set \`appendfsync always\`; even then, a Redis replica that takes over may lack the last ones.`,
          'older',
        )
      if (this.#told !== Infinity) this.#told = undefined
      this.#event = event
    }
    this.#event = Math.max(this.#event, event)
    if (this.#told === undefined) {
      this.#told = event
      this.#miss()
    }
    return { epoch: String(epoch), time: Number(time) }
  }

  override async clearJournal(account?: string): Promise<void> {
    await this.#run('clear', { account })
  }

  override async worldBefore({ id, account, origin, version }: RawRecord): Promise<World | undefined> {
    if (account === null || !origin || version === null) return undefined
    let world = await this.world(account)
    if (world?.origin.load !== origin.load) return undefined
    const [, entries] = await this.#run('read', { after: `${id - 1}-${Number.MAX_SAFE_INTEGER}` })
    for (const { a, u, v } of (entries as Entry[]).map(fieldsOf).toReversed()) {
      if (a !== account || u === undefined || Number(v) > world.version) continue
      for (const undo of (JSON.parse(u) as WorldChange[]).toReversed())
        world = { ...change(world, undo), version: world.version - 1 }
    }
    return world.version === version ? world : undefined
  }

  override markLost(record: RawRecord): void {
    record.lost = true
    if (record.id === 0) return // it isn't in the journal
    this.#run('lost', { id: record.id }).catch((error: Error) => this.#settings.warn(error.message))
  }

  override on(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.#listening = this.#listen()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#told = Infinity
    }
  }

  async #listen(): Promise<void> {
    try {
      await this.#look()
      this.#told = this.#event
    } catch {
      this.#told = undefined
    }
    if (!this.#isFollowing) void this.#follow()
  }

  /** Reads on in the log, while somebody listens. */
  async #follow(): Promise<void> {
    this.#isFollowing = true
    while (this.#listeners.size > 0 && !this.#isClosed) {
      try {
        const entries = await this.#connection.waitForEntries<Entry>('log', this.#cursor)
        if (entries) this.#take(entries)
        else await this.health()
      } catch {
        await sleep(pause, undefined, { ref: false })
      }
    }
    this.#isFollowing = false
  }

  override async whenListening(): Promise<void> {
    await this.#listening
  }

  override onOwn(listener: (event: StoreEvent) => void): void {
    this.#own = listener
  }

  #emit(event: StoreEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  protected override atHand(): Iterable<readonly [string, World]> {
    return this.#worlds.all().map(([login, { tip }]) => [login, tip])
  }

  override async health(): Promise<Health> {
    let problem: string | undefined
    try {
      const began = realTime()
      const { epoch, time } = await this.#look()
      const skew = Math.abs(time - (began + realTime()) / 2)
      if (skew > largestSkew)
        this.warn(
          `The clock of this machine differs by ${Math.round(skew) / 1000} s from the store's. Worlds show the time of the replica that answers: set the clock.`,
          'skew',
        )
      else this.#warnings.delete('skew')
      if (epoch === '') throw lostState(this.#connection.address)
    } catch (error) {
      problem = (error as Error).message
    }
    return { ...(problem !== undefined && { problem }), warnings: [...this.#warnings.values()] }
  }

  override async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#connection.close()
  }
}

/** What listeners hear of an entry: of a change before the request that made it. */
function* eventsOf(
  { e, a = '', c = '[]', n = '', s = '[]' }: Fields,
  record?: JournalRecord,
): Generator<StoreEvent> {
  const secrets = (record?.raw.secrets ?? JSON.parse(s)) as KnownSecrets
  for (const { patch, ...told } of JSON.parse(c) as Change[])
    yield { type: 'change', account: a, change: patch, ...told, secrets }
  if (record) yield { type: 'request', record }
  if (e === 'reset') yield { type: 'reset', scenario: n }
  if (e === 'cleared') yield { type: 'cleared', account: a === '' ? undefined : a }
}

/** The number of the event that an entry is. */
function numberOf(id: string): number {
  return Number(id.split('-')[1])
}

function now(): string {
  return new Date(realTime()).toISOString()
}

function shown({ id, time, scenario }: StoredSnapshot): Snapshot {
  return { id, time, scenario }
}

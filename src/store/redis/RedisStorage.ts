import { createHash, randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { Snapshot } from '../../admin/shapes.ts'
import type { Contract } from '../../contract/Contract.ts'
import { responseName } from '../../journal/Coverage.ts'
import { JournalRecord, Observations } from '../../journal/Journal.ts'
import type { RawRecord } from '../../journal/RawRecord.ts'
import type { KnownSecrets } from '../../journal/redaction/Redactor.ts'
import { pairsOf } from '../../lib/http.ts'
import type { SimulatorOptions } from '../../SimulatorOptions.ts'
import { realTime } from '../../world/time.ts'
import type { World } from '../../world/World.ts'
import { loaded, type State } from '../State.ts'
import {
  mostCredentials,
  mostSnapshots,
  type Change,
  type Commit,
  type Health,
  type Overtaken,
  type Storage,
  type StoreEvent,
} from '../Storage.ts'
import { Connection, type Arguments } from './Connection.ts'
import { follow, type Fields, type Following } from './follow.ts'
import { readRecord, writeRecord } from './records.ts'
import { differs, lostAccount, lostState } from './refusals.ts'
import type { ScriptName } from './scripts.ts'
import { Cached, fieldsOf, idOf, mark, tokenOf, worldAfter, type Entry } from './WorldCache.ts'

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

/** Maximum characters of JSON in a replica's cache of worlds */
const largestCache = 64 * 1024 * 1024
/** Changes that can be rewound even if the journal is shorter */
const shortestHistory = 32
/** Milliseconds of clock skew before a warning */
const largestSkew = 2000
/** Milliseconds between two looks at the store, as it doesn't report a lost state itself */
const lookInterval = 10_000
/** Seconds after which a state that was written but never put in place is forgotten */
const unseenExpiry = 3600
/** Worlds that are written together */
const bulk = 50

type Row = [login: string, number: number, head: string, entries: Entry[]]

interface StoredSnapshot extends Snapshot {
  epoch: string
  /** The login, if it has a single account */
  only?: string
}

/**
 * The state in Redis, shared by several replicas. Each keeps worlds, but answers nothing from them: the script that
 * adds a request's record first compares which commit made the world that it read.
 */
export class RedisStorage implements Storage {
  readonly #settings: RedisSettings
  readonly #connection: Connection
  #following: Following | undefined
  readonly #replica = randomUUID()
  #commits = 0
  /** The least recently used first */
  readonly #worlds = new Map<string, Cached>()
  #size = 0
  /** The last one that was read */
  #scenario: State['scenario'] | undefined
  #kept: { run: string; cleared: string; records: JournalRecord[] } = { run: '', cleared: '', records: [] }
  readonly #listeners = new Set<(event: StoreEvent) => void>()
  #own: ((event: StoreEvent) => void) | undefined
  readonly #warnings = new Map<string, string>()
  /** The number of the last event that we heard of */
  #event = 0
  readonly #timer: NodeJS.Timeout

  constructor(connection: Connection, settings: RedisSettings) {
    this.#settings = settings
    this.#connection = connection
    connection.onOpen = (client) => this.#opened(client)
    this.#timer = setInterval(() => void this.health(), lookInterval).unref()
  }

  /** Joins what is there, or begins with an initial state. @returns whether it joined */
  async begin(initial: () => Promise<State>): Promise<boolean> {
    const [, epoch] = await this.#connection.run('look')
    if (epoch === '' && (await this.#replace(await initial(), { first: 1 }))) return false
    const [, , , , deployment] = await this.#connection.run('look')
    if (deployment !== this.#deployment) throw differs(this.#connection.address, this.#settings.prefix)
    await this.scenario()
    return true
  }

  /** The settings that all replicas must share */
  get #deployment(): string {
    const { contract, journal, assumptions = {} } = this.#settings
    const digest = createHash('sha256').update(JSON.stringify(contract.operations)).digest('base64url')
    return JSON.stringify({
      format: 3,
      journal,
      contract: digest,
      readings: Object.entries(assumptions).map(String).toSorted(),
    })
  }

  /** Forgets all that came over an earlier connection: it may be lost by now. */
  async #opened(client: Redis): Promise<void> {
    this.#worlds.clear()
    this.#size = 0
    this.#kept.run = ''
    const [, epoch, , event] = await this.#connection.evaluate(client, 'look', {})
    if (epoch !== '' && Number(event) < this.#event)
      this.#warn(
        'older',
        `The store ${this.#connection.address} came back older than it was: changes that were answered are lost. Set \`appendfsync always\`; even then, a Redis replica that takes over may lack the last ones.`,
      )
    this.#event = Number(event)
  }

  /** Warns, now and in the health. */
  #warn(kind: string, message: string): void {
    if (this.#warnings.get(kind) !== message) this.#settings.warn(message)
    this.#warnings.set(kind, message)
  }

  warn(message: string): void {
    this.#warn(message, message)
  }

  /** @throws StorageError */
  async #run(
    name: ScriptName,
    args: Arguments = {},
    how: { changes?: boolean; isPatient?: boolean } = {},
  ): Promise<unknown[]> {
    const reply = await this.#connection.run(name, { needs: 1, ...args }, how)
    if (reply[0] === 'lost') throw lostState(this.#connection.address)
    return reply
  }

  /** None is: the one at hand may have been replaced, which only Redis can say. */
  peek(): undefined {}

  world(login: string): World | undefined | Promise<World | undefined> {
    return this.#worlds.get(login)?.tip ?? this.#fetch(login)
  }

  async #fetch(login: string): Promise<World | undefined> {
    const reply = await this.#run('commit', { login, known: '', from: '' })
    return reply[0] === 'over' ? this.#follow(login, undefined, reply)?.tip : undefined
  }

  /** @param cached what was known @returns what is, as a script's reply tells; undefined if the account is gone */
  #follow(login: string, cached: Cached | undefined, [, head, entries]: unknown[]): Cached | undefined {
    if (head === 0) {
      this.#forget(login)
      return undefined
    }
    const known = cached ?? this.#worlds.get(login)
    known?.follow(entries as Entry[], head as string)
    const found = known ?? Cached.of(entries as Entry[], head as string)
    if (!found) throw lostAccount(this.#connection.address, login)
    if (!cached) this.#keep(login, found)
    return found
  }

  #keep(login: string, cached: Cached): void {
    this.#forget(login)
    this.#worlds.set(login, cached)
    cached.size = cached.whole + cached.log
    this.#size += cached.size
    for (const [oldest] of this.#worlds) {
      if (this.#size <= largestCache || oldest === login) break
      this.#forget(oldest)
    }
  }

  #forget(login: string): void {
    const cached = this.#worlds.get(login)
    if (!cached) return
    this.#worlds.delete(login)
    this.#size -= cached.size
  }

  async commit(commit: Commit): Promise<Overtaken | undefined> {
    const { login = '', before, after, changes, record } = commit
    const token = `${this.#replica}.${++this.#commits}`
    const cached = this.#worlds.get(login)
    const from = before && cached ? idOf(cached.base) : ''
    const args = {
      token,
      ...(commit.login !== undefined && { login, known: tokenOf(before), from }),
      ...(before !== after && this.#writes(commit, token, cached)),
      ...(record && this.#recording(record, before)),
    }
    let reply: unknown[]
    try {
      reply = await this.#run('commit', args, { changes: before !== after })
    } catch (error) {
      cached?.fail(token)
      throw error
    }
    const [status, request, event] = reply
    if (status === 'missing') throw lostAccount(this.#connection.address, login)
    if (status === 'over') {
      cached?.fail(token)
      return { world: this.#follow(login, cached, reply)?.tip }
    }
    this.#event = Number(event ?? this.#event)
    if (!changes && before !== after) this.#forget(login)
    else if (after && cached?.pending.has(token)) {
      cached.succeed(after, token)
      if (this.#worlds.get(login) === cached) this.#keep(login, cached)
    }
    for (const { patch, ...told } of changes ?? [])
      this.#own?.({
        type: 'change',
        account: login,
        change: patch,
        ...told,
        secrets: after ? [after.password, after.tokens] : [],
      })
    if (record) this.#recorded(record, Number(request))
    return undefined
  }

  /** What a commit writes of the world. A descendant is at hand for others at once. */
  #writes({ before, after, changes, isReset }: Commit, token: string, cached: Cached | undefined): Arguments {
    if (!after) return { remove: 1 }
    if (changes) {
      const text = JSON.stringify(changes)
      const world = cached?.isLong ? JSON.stringify(after) : undefined
      mark(after, token)
      cached?.begin(after, token, text.length)
      if (world !== undefined && cached) [cached.whole, cached.log] = [world.length, 0]
      return {
        id: idOf(after),
        changes: text,
        world,
        history: Math.max(this.#settings.journal, shortestHistory),
      }
    }
    return {
      world: JSON.stringify(loaded(after, 0)),
      version: after.version,
      ...(before && { kept: randomUUID(), time: now() }),
      reset: isReset ? 1 : undefined,
    }
  }

  #recording(record: RawRecord, before: World | undefined): Arguments {
    record.before ??= before
    record.origin ??= before?.origin
    return {
      record: writeRecord(record),
      account: record.account ?? '',
      response: responseName(record),
      journal: this.#settings.journal,
    }
  }

  #recorded(record: RawRecord, id: number): void {
    record.id = id
    if (record.account === null) record.secrets = () => this.credentials()
    this.#own?.({ type: 'request', record: new JournalRecord({ ...record }) })
  }

  async scenario(): Promise<State['scenario']> {
    try {
      const { scenario } = await this.#read('none')
      return scenario
    } catch (error) {
      if (!this.#scenario) throw error
      return this.#scenario // lets a reset recover from a lost state
    }
  }

  async logins(): Promise<readonly string[]> {
    const { rows } = await this.#read('logins')
    return rows.map(([login]) => login)
  }

  async state(): Promise<State> {
    const cached = new Map(this.#worlds)
    const known = Object.fromEntries(
      [...cached].map(([login, { base }]) => [login, [tokenOf(base), idOf(base)]]),
    )
    const { scenario, rows } = await this.#read('worlds', { known: JSON.stringify(known) })
    const worlds = rows.map(([login, , ...news]) => this.#follow(login, cached.get(login), ['over', ...news]))
    return { scenario, accounts: new Map(rows.map(([login], i) => [login, worlds[i]?.base as World])) }
  }

  /** @throws StorageError if that state is gone */
  async #read(
    what: 'none' | 'logins' | 'worlds',
    args: Arguments = {},
  ): Promise<{ scenario: State['scenario']; rows: Row[] }> {
    const reply = await this.#run('state', { rows: what, ...args }, { isPatient: true })
    if (reply[0] === 'gone') throw lostState(this.#connection.address)
    const [, name, document, rows] = reply as [string, string, string, Row[]]
    const scenario = { name, document: JSON.parse(document) as State['scenario']['document'] }
    if (args['state'] === undefined) this.#scenario = scenario
    return { scenario, rows: rows.toSorted((a, b) => a[1] - b[1]) }
  }

  async replace(state: State, keepJournal: boolean): Promise<void> {
    await this.#replace(state, { keep: keepJournal ? 1 : undefined })
  }

  /** Writes a state unseen, then puts it in place. @returns false if another one was there first */
  async #replace({ scenario, accounts }: State, how: Arguments): Promise<boolean> {
    const key = (...parts: string[]): string => this.#connection.key(...parts)
    const next = randomUUID()
    const [load] = await this.#connection.send([['HINCRBY', key('meta'), 'load', 1]])
    const expire = (name: string): [string, ...(string | number)[]] => ['EXPIRE', name, unseenExpiry]
    const document = JSON.stringify(scenario.document)
    await this.#connection.send([
      ['HSET', key('scenario', next), 'name', scenario.name, 'document', document],
      expire(key('scenario', next)),
    ])
    const all = [...accounts]
    for (let first = 0; first < all.length; first += bulk) {
      const commands: [string, ...(string | number)[]][] = []
      for (const [i, [login, world]] of all.slice(first, first + bulk).entries()) {
        const id = `${Number(load)}-${world.version}`
        const stream = key('world', next, login)
        commands.push(
          ['XADD', stream, id, 't', next, 'w', JSON.stringify(loaded(world, Number(load)))],
          expire(stream),
          ['HSET', key('accounts', next), login, `${first + i + 1} ${id}`],
          ['HSET', key('heads', next), login, next],
        )
      }
      await this.#connection.send([...commands, expire(key('accounts', next)), expire(key('heads', next))])
    }
    const args = {
      next,
      time: now(),
      deployment: this.#deployment,
      scenario: scenario.name,
      ...how,
    }
    const [status, , event] = await this.#connection.run('replace', args, { changes: true, isPatient: true })
    if (status === 'joined') return false
    if (status === 'late') return this.#replace({ scenario, accounts }, how)
    this.#event = Number(event ?? this.#event)
    this.#worlds.clear()
    this.#size = 0
    this.#scenario = scenario
    return true
  }

  async takeSnapshot(): Promise<Snapshot> {
    const args = { kept: randomUUID(), time: now(), most: mostSnapshots }
    const [, text] = await this.#run('snapshot', args, { changes: true, isPatient: true })
    return shown(JSON.parse(text as string) as StoredSnapshot)
  }

  async snapshots(): Promise<readonly Snapshot[]> {
    return (await this.#snapshots()).map(shown)
  }

  async #snapshots(): Promise<StoredSnapshot[]> {
    const [, taken, replaced] = (await this.#run('snapshots')) as [string, string[], string]
    return [...taken, replaced]
      .filter((text) => text !== '')
      .map((text) => JSON.parse(text) as StoredSnapshot)
  }

  async snapshot(id: string): Promise<{ state: State; only?: string } | undefined> {
    const found = (await this.#snapshots()).find((one) => one.id === id)
    if (!found) return undefined
    const { scenario, rows } = await this.#read('worlds', { state: found.epoch, known: '{}' })
    const accounts = new Map(rows.map(([login, , , entries]) => [login, worldAfter(entries) as World]))
    return { state: { scenario, accounts }, ...(found.only !== undefined && { only: found.only }) }
  }

  async observations(account?: string): Promise<Observations> {
    await this.whenListening()
    const { contract, journal } = this.#settings
    const observations = new Observations(contract, journal)
    const { records, dropped, counts } = await this.#readJournal(account)
    observations.journal.fill(records, dropped)
    for (const [response, count] of counts)
      if (response !== 'total' && Number(count) > 0)
        observations.coverage.add(account ?? null, response, Number(count))
    return observations
  }

  /** @returns the journal's records, of which those that are known aren't read again */
  async #readJournal(
    account?: string,
  ): Promise<{ records: JournalRecord[]; dropped: number; counts: [string, string][] }> {
    const { run, cleared, records } = this.#kept
    const reply = await this.#run('journal', { run, cleared, after: records.at(-1)?.raw.id ?? 0, account })
    const [, nextRun, nextCleared, length, entries, lost, flat] = reply as [
      string,
      string,
      string,
      number,
      Entry[],
      string[],
      string[],
    ]
    if (this.#kept.run !== nextRun || this.#kept.cleared !== nextCleared)
      this.#kept = { run: nextRun, cleared: nextCleared, records: [] }
    const kept = this.#kept.records
    for (const entry of entries) {
      const id = Number.parseInt(entry[0], 10)
      if (id > (kept.at(-1)?.raw.id ?? 0))
        kept.push(readRecord(id, fieldsOf(entry)['r'] as string, () => this.credentials()))
    }
    kept.splice(0, kept.length - length)
    for (const { raw } of kept) raw.lost ||= lost.includes(String(raw.id))
    const counts = pairsOf(flat)
    const total = Number(counts.find(([name]) => name === 'total')?.[1] ?? 0)
    return { records: [...kept], dropped: total - length, counts }
  }

  async clearJournal(account?: string): Promise<void> {
    await this.#run('clear', { account })
  }

  async worldBefore({ account, origin, version }: RawRecord): Promise<World | undefined> {
    if (account === null || !origin || version === null) return undefined
    const [, entries] = await this.#run('history', { login: account, load: origin.load, version })
    const world = worldAfter(entries as Entry[], undefined, version)
    return world?.version === version ? world : undefined
  }

  markLost(record: RawRecord): void {
    record.lost = true
    if (record.id === 0) return // it isn't in the journal
    this.#run('lost', { id: record.id }).catch((error: Error) => this.#settings.warn(error.message))
  }

  on(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener)
    this.#following ??= follow(this.#connection, (events) => this.#take(events))
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#following?.stop()
      this.#following = undefined
    }
  }

  async whenListening(): Promise<void> {
    await this.#following?.begun
  }

  onOwn(listener: (event: StoreEvent) => void): void {
    this.#own = listener
  }

  #emit(event: StoreEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  /** Tells of events of the store. */
  async #take(events: readonly Fields[]): Promise<void> {
    const hasRequests = events.some(({ e }) => e === 'request')
    const records = new Map<string, JournalRecord>()
    if (hasRequests)
      for (const one of (await this.#readJournal()).records) records.set(String(one.raw.id), one)
    for (const { e, a, p, s, i = '', r = '' } of events) {
      const record = r === '' ? records.get(i) : readRecord(Number(i), r, () => this.credentials())
      if (record) this.#emit({ type: 'request', record })
      else if (e === 'reset') this.#emit({ type: 'reset', scenario: s ?? (await this.scenario()).name })
      else if (e === 'cleared') this.#emit({ type: 'cleared', account: a })
      else if (e === 'change' && a !== undefined)
        await this.#takeChanges(a, JSON.parse(p ?? '[]') as Change[])
    }
  }

  async #takeChanges(account: string, changes: readonly Change[]): Promise<void> {
    const world = await this.world(account)
    const secrets = world ? [world.password, world.tokens] : []
    for (const { patch, ...told } of changes)
      this.#emit({ type: 'change', account, change: patch, ...told, secrets })
  }

  atHand(): Iterable<readonly [string, World]> {
    return [...this.#worlds].map(([login, { tip }]) => [login, tip])
  }

  /** Credentials of the worlds at hand. */
  credentials(): KnownSecrets {
    const secrets: (string | readonly string[])[] = []
    for (const { tip } of this.#worlds.values()) {
      secrets.push(tip.password, tip.tokens)
      if (secrets.length >= 2 * mostCredentials) break
    }
    return secrets
  }

  async health(): Promise<Health> {
    let problem: string | undefined
    try {
      const began = realTime()
      const [, epoch, time] = await this.#connection.run('look')
      const skew = Number(time) - (began + realTime()) / 2
      if (Math.abs(skew) > largestSkew)
        this.#warn(
          'skew',
          `The clock of this machine differs by ${Math.round(Math.abs(skew)) / 1000} s from the store's. Worlds show the time of the replica that answers: set the clock.`,
        )
      else this.#warnings.delete('skew')
      if (epoch === '') throw lostState(this.#connection.address)
    } catch (error) {
      problem = (error as Error).message
    }
    return { ...(problem !== undefined && { problem }), warnings: [...this.#warnings.values()] }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#following?.stop()
    this.#connection.close()
  }
}

function now(): string {
  return new Date(realTime()).toISOString()
}

function shown({ id, time, scenario }: StoredSnapshot): Snapshot {
  return { id, time, scenario }
}

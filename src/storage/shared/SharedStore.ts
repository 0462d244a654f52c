import { createHash } from 'node:crypto'
import { counted } from '../../counted.ts'
import { holds, type Condition } from '../../contract/Condition.ts'
import type { Contract } from '../../contract/Contract.ts'
import { JournalRecord } from '../../journal/Journal.ts'
import type { Observations } from '../../journal/Observations.ts'
import type { RawRecord } from '../../journal/RawRecord.ts'
import type { KnownSecrets } from '../../journal/redaction/Redactor.ts'
import { realTime } from '../../state/clock.ts'
import type { ScenarioDocument } from '../../scenario/ScenarioDocument.ts'
import type { Snapshot } from '../../admin/shapes.ts'
import { beforeLoad, mostSnapshots } from '../../state/Snapshots.ts'
import type { SimulatorOptions } from '../../SimulatorOptions.ts'
import type { State } from '../../state/State.ts'
import {
  mostCredentials,
  type ReadView,
  type RewindRange,
  type Step,
  type Store,
  type StoreEvent,
  type StoreHealth,
  type StoreStats,
} from '../../state/Store.ts'
import { diffPatch } from '../../world/mergePatch.ts'
import type { Readings } from '../../world/readingOf.ts'
import type { World } from '../../world/World.ts'
import type { WorldChange } from '../../world/WorldChange.ts'
import { TooManyAccounts } from '../../store/StorageError.ts'
import type { Connection, Greeting } from './Connection.ts'
import { Epoch, readingsText } from './Epoch.ts'
import { newName, type Epochs } from './Epochs.ts'
import { Follower } from './Follower.ts'
import { Lanes } from './Lanes.ts'
import { pairsOf } from '../../pairsOf.ts'
import { differs, lostAccount, lostState } from './refusals.ts'
import { SharedJournal } from './SharedJournal.ts'
import { parseId, readHistory, WorldCache, type HistoryEntry } from './WorldCache.ts'

export interface SharedStoreSettings {
  /** `redis://`, `rediss://` or `unix://` */
  url: string
  /** Key prefix, so that several deployments can share one Redis */
  prefix: string
  contract: Contract
  /** Maximum number of requests in the journal, and of changes per world that can be rewound */
  journal: number
  /** Readings that override those of every scenario */
  assumptions?: SimulatorOptions['assumptions']
  /** @default unlimited */
  maxAccounts?: number | undefined
  /** Milliseconds without requests after which an account is deleted, unless it is part of the scenario */
  accountTtl?: number | undefined
  warn: (message: string) => void
}

/** Maximum characters of JSON in a replica's cache of worlds */
const largestCache = 64 * 1024 * 1024
/** Milliseconds of clock skew before a warning */
const largestSkew = 2000
/** Milliseconds between two runs of the housekeeping */
const housekeepingInterval = 10_000

/** What an epoch contains; the document is empty if it is known. */
type Index = [
  epoch: string,
  scenario: string,
  document: string,
  accounts: number,
  base: string,
  readings: string[],
]

interface StoredSnapshot extends Snapshot {
  epoch: string
  /** The login, if it contains a single account */
  only?: string
}

/**
 * State shared by several replicas, in Redis. Each replica caches worlds, but never answers from a stale copy: the
 * script that commits a request first compares its world with the store.
 */
export class SharedStore implements Store {
  readonly #settings: SharedStoreSettings
  readonly #connection: Connection
  readonly #epochs: Epochs
  readonly #epoch = new Epoch()
  readonly #cache = new WorldCache(largestCache)
  readonly #lanes: Lanes
  #journal: SharedJournal
  readonly #follower: Follower
  readonly #listeners = new Set<(event: StoreEvent) => void>()
  readonly #warnings = new Map<string, string>()
  #secrets: KnownSecrets = []
  #scenario: { epoch: string; value: State['scenario'] } | undefined
  /** The last epoch in which an account was lost */
  #lostIn = ''
  #housekeeping: NodeJS.Timeout | undefined

  constructor(connection: Connection, epochs: Epochs, settings: SharedStoreSettings) {
    this.#settings = settings
    this.#connection = connection
    this.#epochs = epochs
    this.#lanes = new Lanes(connection, this.#epoch, this.#cache, settings.journal)
    this.#lanes.onLateRecord = (record) => this.markLost(record)
    this.#lanes.onLostAccount = this.#epochs.onLostAccount = (login) => {
      const error = lostAccount(connection.address, login)
      this.#lostIn = this.#epoch.id
      this.#warn('lost', error.message)
      return error
    }
    this.#journal = this.#createJournal()
    this.#follower = new Follower(
      connection,
      settings,
      (fields) => this.#take(fields),
      async () => this.#emit({ type: 'reset', scenario: (await this.scenario()).name }),
    )
    connection.onOpen = (greeting, isOlder) => this.#opened(greeting, isOlder)
    this.#scheduleHousekeeping()
  }

  #createJournal(): SharedJournal {
    const { contract, journal } = this.#settings
    return new SharedJournal(this.#connection, contract, journal, {
      known: () => this.credentials(),
      learn: (logins) => this.#learnSecrets(logins),
    })
  }

  /** Drops all caches: what was read over an earlier connection may be lost by now. */
  #opened({ now, sent, epoch, run, born }: Greeting, isOlder: boolean): void {
    this.#cache.clear()
    this.#journal = this.#createJournal()
    this.#epoch.set(epoch ?? '', run, born)
    this.#epoch.sawTime(now, sent)
    if (!isOlder || epoch === undefined) return
    this.#follower.renumber()
    this.#warnings.delete('older') // warn each time
    this.#warn(
      'older',
      `The store ${this.#connection.address} came back older than it was: changes that were answered are lost. Set \`appendfsync always\`; even then, a Redis replica that takes over may lack the last ones.`,
    )
  }

  #warn(kind: string, message: string): void {
    if (!this.#warnings.has(kind)) this.#settings.warn(message)
    this.#warnings.set(kind, message)
  }

  /** Warns now, and from now on in the health check. */
  warn(message: string): void {
    this.#warn(message, message)
  }

  stats(): StoreStats {
    const { conflicts, reruns, unrecorded } = this.#lanes
    const { trips, tripSeconds } = this.#connection
    return { trips, tripSeconds, conflicts, reruns, unrecorded }
  }

  get moment(): number {
    return this.#epoch.moment
  }

  transact<T>(login: string | undefined, step: Step<T>, readView?: ReadView): Promise<T> {
    return this.#lanes.run(login, step, readView)
  }

  async scenario(): Promise<State['scenario']> {
    try {
      const [epoch, name, document] = await this.#index('scenario', this.#scenario?.epoch)
      if (this.#scenario?.epoch !== epoch)
        this.#scenario = { epoch, value: { name, document: JSON.parse(document) as ScenarioDocument } }
      return this.#scenario.value
    } catch (error) {
      if (!this.#scenario) throw error // the cached one lets a reset recover from a lost state
      return this.#scenario.value
    }
  }

  async logins(): Promise<string[]> {
    return [...(await this.#epochs.index('logins')).cut.keys()]
  }

  world(login: string): Promise<World | undefined> {
    return this.#lanes.run(login, (world) => ({ value: world }))
  }

  all(): Promise<State> {
    return this.#epochs.read()
  }

  async whose(condition: Condition, service: string | undefined): Promise<string | undefined> {
    const { base, others } = await this.#readings()
    const isMatch = (readings: Readings | undefined): boolean =>
      readings !== undefined && holds(condition, readings)
    const matches = new Map(
      [...others].map(([login, text]) => [login, isMatch(JSON.parse(text) as Readings)]),
    )
    const isBaseMatch = isMatch(base)
    if (!isBaseMatch && ![...matches.values()].includes(true)) return undefined
    const logins = (await this.logins()).filter((login) => matches.get(login) ?? isBaseMatch)
    if (service !== undefined)
      for (const login of logins) {
        const world = await this.world(login)
        if (world && holds(condition, world) && Object.hasOwn(world.services, service)) return login
      }
    return logins[0]
  }

  async readings(login?: string): Promise<Readings[]> {
    if (login !== undefined) {
      const world = await this.world(login)
      return world ? [world] : []
    }
    const { base, others, count } = await this.#readings()
    const different = [...new Set(others.values())].map((text) => JSON.parse(text) as Readings)
    return base && count > others.size ? [base, ...different] : different
  }

  async #readings(): Promise<{ base: Readings | undefined; others: Map<string, string>; count: number }> {
    const [, , , count, base, flat] = await this.#index('readings')
    return {
      base: base === '' ? undefined : (JSON.parse(base) as Readings),
      others: new Map(pairsOf(flat)),
      count,
    }
  }

  async #index(wanted: 'scenario' | 'readings', known = ''): Promise<Index> {
    const found = (await this.#connection.ask('index', ['', wanted, known])) as Index | []
    if (found.length === 0) throw lostState(this.#connection.address)
    return found
  }

  async observations(account?: string): Promise<Observations> {
    await this.whenListening()
    for (;;) {
      const journal = this.#journal
      const read = await journal.read(account)
      if (journal === this.#journal) return read
    }
  }

  /** Credentials of cached worlds, and of those looked up for the journal. */
  credentials(): KnownSecrets {
    const secrets = [...this.#secrets]
    for (const { password, tokens } of this.#cache.worlds()) {
      if (secrets.length >= 4 * mostCredentials) break
      secrets.push(password, tokens)
    }
    return secrets
  }

  /** Looks up credentials that a request from an unknown sender may contain. */
  async #learnSecrets(logins: readonly string[]): Promise<void> {
    const worlds = await Promise.all(logins.slice(0, mostCredentials).map((login) => this.world(login)))
    this.#secrets = worlds.flatMap((world) => (world ? [world.password, [...world.tokens]] : []))
  }

  async rewindRange(login: string): Promise<RewindRange | undefined> {
    const [id, first] = (await this.#connection.ask('reach', [login])) as [string?, string?]
    if (id === undefined || first === undefined) return undefined
    const { birth, version } = parseId(id)
    return { birth, oldest: Math.max(parseId(first).version, version - this.#settings.journal) }
  }

  async worldAt(login: string, birth: number, version: number): Promise<World | undefined> {
    const range = await this.rewindRange(login)
    if (range?.birth !== birth || version < range.oldest) return undefined
    const entries = await this.#connection.ask('past', [login, birth, version])
    const world = readHistory(entries as HistoryEntry[], version)?.world
    return world?.version === version ? world : undefined
  }

  async rewind(login: string, birth: number, version: number): Promise<number | undefined> {
    const past = await this.worldAt(login, birth, version)
    if (!past) return undefined
    const era = (await this.#connection.ask('number')) as number
    return this.#lanes.run(login, (world, _, known) => {
      if (!world || known.birth !== birth) return { value: undefined }
      const change = diffPatch(world, { ...past, version: world.version }) as WorldChange | undefined
      return { value: world.version + (change ? 1 : 0), ...(change && { change, era }) }
    })
  }

  async create(login: string, world: World): Promise<boolean> {
    return (await this.#put('create', login, world)) === 'ok'
  }

  async remove(login: string): Promise<boolean> {
    return (await this.#put('remove', login)) === 'ok'
  }

  async replaceAccount(login: string, world: World): Promise<void> {
    await this.#put('replace', login, world)
  }

  async #put(
    mode: 'create' | 'put' | 'undo' | 'replace' | 'remove',
    login: string,
    world?: World,
  ): Promise<string> {
    const keeps = mode === 'replace' || mode === 'undo'
    const scenario = keeps ? (await this.scenario()).name : ''
    for (;;) {
      const [status, other] = (await this.#connection.write('put', [
        this.#epoch.id,
        this.#epoch.run,
        mode,
        login,
        world?.version ?? 0,
        world ? JSON.stringify(world) : '',
        world ? readingsText(world) : '',
        this.#settings.maxAccounts ?? 0,
        world?.origin ? 1 : '',
        keeps ? newName() : '',
        new Date(realTime()).toISOString(),
        scenario,
      ])) as [string, string | null] | ['many', number]
      if (status === 'many') {
        const { maxAccounts = 0 } = this.#settings
        throw new TooManyAccounts(
          `There are already ${counted(Number(other), 'account')}, and --max-accounts allows ${maxAccounts}. Delete ${Number(other) - maxAccounts + 1} first.`,
        )
      }
      if (status === 'epoch') await this.#learnEpoch(other)
      else {
        if (other) this.#epochs.unlinkLater([other])
        return status
      }
    }
  }

  /** Follows a change of the epoch; the commit's reply names the new one. @throws StorageError if there is none */
  async #learnEpoch(epoch: string | null): Promise<void> {
    if (epoch === null) throw lostState(this.#connection.address)
    await this.#lanes.run(undefined, () => ({ value: undefined }))
  }

  async replace(state: State): Promise<void> {
    await this.#swap('load', state)
  }

  /** Joins the existing deployment, or loads the initial state. @returns whether it joined */
  async begin(initial: () => Promise<State>): Promise<boolean> {
    if (this.#epoch.id === '' && (await this.#swap('first', await initial()))) return false
    const key = `${this.#settings.prefix}:deployment`
    if ((await this.#connection.command('GET', key)) !== this.#deployment)
      throw differs(this.#connection.address, this.#settings.prefix)
    await this.scenario()
    return true
  }

  /** The settings that all replicas must share */
  get #deployment(): string {
    const { contract, journal, assumptions = {} } = this.#settings
    const digest = createHash('sha256').update(JSON.stringify(contract.operations)).digest('base64url')
    const readings = Object.entries(assumptions).map(String).toSorted()
    return JSON.stringify({ format: 2, journal, contract: digest, ...(readings.length > 0 && { readings }) })
  }

  /** @returns false for mode `first` if a state already exists */
  async #swap(mode: 'first' | 'load' | 'restore' | 'undo', state: State): Promise<boolean> {
    const known = this.#scenario
    const isSame = known?.value.document === state.scenario.document
    const next = await this.#epochs.write(state, isSame ? known?.epoch : undefined)
    const sent = performance.now()
    const reply = await this.#connection.write('swap', [
      mode,
      next,
      newName(),
      new Date(realTime()).toISOString(),
      this.#deployment,
    ])
    const [status, now, epoch, run, born, unneeded] = reply as [
      string,
      number,
      string,
      string,
      number,
      unknown,
    ]
    if (status === 'joined') {
      this.#epochs.unlinkLater([next])
      return false
    }
    // Writing took so long that another replica's housekeeping deleted the epoch, or the clock was set forward.
    if (status === 'late') return this.#swap(mode, state)
    this.#scenario = { epoch, value: state.scenario }
    this.#cache.clear()
    this.#epoch.set(epoch, run, born)
    this.#epoch.sawTime(now, sent)
    this.#epochs.unlinkLater(unneeded)
    return true
  }

  async snapshot(): Promise<Snapshot> {
    const state = await this.#epochs.read()
    const epoch = await this.#epochs.write(state)
    const time = new Date(realTime()).toISOString()
    const scenario = state.scenario.name
    const reply = await this.#connection.write('keep', [epoch, time, scenario, mostSnapshots])
    const [status, id, unneeded] = reply as [string, string, unknown]
    if (status === 'late') return this.snapshot()
    this.#epochs.unlinkLater(unneeded)
    return { id, time, scenario }
  }

  async snapshots(): Promise<Snapshot[]> {
    return (await this.#kept()).map(({ id, time, scenario }) => ({ id, time, scenario }))
  }

  async #kept(): Promise<StoredSnapshot[]> {
    const found = (await this.#connection.ask('kept')) as [string[], (string | null)[]] | []
    if (found.length === 0) throw lostState(this.#connection.address)
    const [taken, [epoch, time, scenario, only]] = found
    const all = taken.map((text) => JSON.parse(text) as StoredSnapshot)
    if (epoch && time && scenario) all.push({ id: beforeLoad, time, scenario, epoch, ...(only && { only }) })
    return all
  }

  async restore(id: string): Promise<{ id: string; scenario: string } | undefined> {
    const found = (await this.#kept()).find((one) => one.id === id)
    if (!found) return undefined
    const { scenario, epoch, only } = found
    const state = await this.#epochs.read(epoch)
    const isUndo = id === beforeLoad // keeps the replaced state, so that undoing twice is a redo
    if (only === undefined) await this.#swap(isUndo ? 'undo' : 'restore', state)
    else await this.#put(isUndo ? 'undo' : 'put', only, state.accounts[only])
    return { id, scenario: only === undefined ? scenario : (await this.scenario()).name }
  }

  async clearJournal(account = ''): Promise<void> {
    const [status] = (await this.#connection.write('clear', [account])) as [string]
    if (status === 'epoch') throw lostState(this.#connection.address)
  }

  markLost(record: RawRecord): void {
    record.lost = true
    if (record.id === 0) return // it isn't in the journal
    this.#connection
      .write('lost', [this.#epoch.run, record.id, this.#settings.journal])
      .catch((error: Error) => this.#settings.warn(error.message))
  }

  on(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener)
    this.#follower.start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#follower.stop()
    }
  }

  whenListening(): Promise<void> {
    return this.#follower.begun
  }

  onOwnRequest(listener: (record: JournalRecord) => void): void {
    this.#lanes.onRecord = (raw) =>
      listener(new JournalRecord({ ...raw, secrets: raw.secrets ?? (() => this.credentials()) }))
  }

  #emit(event: StoreEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  /** Translates an event of the store. */
  async #take({ t, a, p, i, r, s, u }: Record<string, string>): Promise<void> {
    const account = a ?? ''
    if (t === 'request') {
      const record = await this.#journal.record(u as string, Number(i), r as string)
      this.#emit({ type: 'request', record })
    } else if (t === 'reset') this.#emit({ type: 'reset', scenario: s ?? '' })
    else if (t === 'cleared') this.#emit({ type: 'cleared', account: a })
    else if (t === 'gone') this.#emit({ type: 'change', account, change: null, secrets: [] })
    else {
      const world = await this.world(account)
      const secrets = world ? [world.password, world.tokens] : []
      const changes = t === 'new' ? [{}] : (JSON.parse(p as string) as WorldChange[])
      for (const change of changes) this.#emit({ type: 'change', account, change, secrets })
    }
  }

  async health(): Promise<StoreHealth> {
    const { problem } = await this.#look()
    return { ...(problem !== undefined && { problem }), warnings: [...this.#warnings.values()] }
  }

  /** Never throws. @returns why requests can't be handled, if so, and discarded epochs */
  async #look(): Promise<{ problem?: string; old: string[] }> {
    try {
      const began = realTime()
      const reply = await this.#connection.ask('look')
      const [now, epoch, old] = reply as [number, string | null, string[]]
      const skewMs = Math.round(now - (began + realTime()) / 2)
      if (Math.abs(skewMs) > largestSkew)
        this.#warn(
          'skew',
          `The clock of this machine differs by ${Math.abs(skewMs) / 1000} s from the store's. Worlds show the time of the replica that answers: set the clock.`,
        )
      else this.#warnings.delete('skew')
      if (epoch === null) throw lostState(this.#connection.address)
      if (epoch !== this.#lostIn) this.#warnings.delete('lost')
      await this.#connection.refresh()
      this.#warnings.delete('away')
      return { old }
    } catch (error) {
      return { problem: (error as Error).message, old: [] }
    }
  }

  /** Regularly checks the store, as it doesn't report a lost state itself, and deletes idle accounts. */
  #scheduleHousekeeping(): void {
    const { accountTtl } = this.#settings
    const pause = Math.min(housekeepingInterval, Math.max(100, (accountTtl ?? Infinity) / 4))
    this.#housekeeping = setTimeout(() => {
      this.#housekeep()
        .catch(() => {})
        .finally(() => {
          if (this.#housekeeping) this.#scheduleHousekeeping()
        })
    }, pause)
    this.#housekeeping.unref()
  }

  async #housekeep(): Promise<void> {
    const { problem, old } = await this.#look()
    if (problem !== undefined) return this.#warn('away', problem)
    const { accountTtl } = this.#settings
    await this.#epochs.unlink(old)
    if (accountTtl === undefined) return
    for (;;) {
      const count = (await this.#connection.write('expire', [accountTtl])) as number
      if (count < 100) return
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#housekeeping)
    this.#housekeeping = undefined
    this.#follower.stop()
    this.#connection.close()
  }
}

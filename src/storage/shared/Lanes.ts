import { endOfTurn } from '../../batch.ts'
import { responseName } from '../../journal/Coverage.ts'
import type { RawRecord } from '../../journal/RawRecord.ts'
import { realTime } from '../../state/clock.ts'
import type { ReadView, Outcome } from '../../state/Store.ts'
import { applyChange } from '../../world/bindings.ts'
import { inversePatch } from '../../world/mergePatch.ts'
import type { Instant } from '../../world/time.ts'
import type { World } from '../../world/World.ts'
import type { WorldChange } from '../../world/WorldChange.ts'
import { StorageError } from '../../store/StorageError.ts'
import { notExecuted, type Connection } from './Connection.ts'
import { readingsText, type Epoch } from './Epoch.ts'
import { mostTexts, RecordEncoder } from './recordCodec.ts'
import { away, lostAccount, lostState, UnknownOutcome } from './refusals.ts'
import {
  follow,
  noAccount,
  readHistory,
  type HistoryEntry,
  type KnownWorld,
  type WorldCache,
} from './WorldCache.ts'

/** A step's outcome, and what only the shared store itself sets */
export interface SharedOutcome<T> extends Outcome<T> {
  /** Set by a rewind: the number of the era that it begins */
  era?: number
}

/** A step that also sees the cache entry of the world, e.g. its birth. */
type SharedStep<T> = (world: World | undefined, real: Instant, known: KnownWorld) => SharedOutcome<T>

/** A step that waits to run, or to be committed. */
interface Job {
  step: SharedStep<unknown>
  readView: ReadView | undefined
  /** When it came, by `performance.now()` */
  began: number
  /** Until when the store must answer; undefined if it has answered since the step was last sent */
  until: number | undefined
  /** How often other replicas changed the world first */
  overtaken: number
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** The queue of steps for one login */
interface Lane {
  login: string
  jobs: Job[]
  isUnderWay: boolean
  /** Consecutive conflicts with other replicas */
  lost: number
  /** Whether there is known to be no account with its login, until its jobs are done */
  isAbsent: boolean
}

/** One optimistic run of a lane's steps, and how to roll it back. */
interface Run {
  lane: Lane
  /** How many of the lane's steps the commit's reply is about */
  asked: number
  known: KnownWorld | undefined
  done: { job: Job; value: unknown }[]
  records: RawRecord[]
  undos: WorldChange[]
  /** The cache entry's fields before the run */
  before: Pick<KnownWorld, 'id' | 'era' | 'since'>
  /** Set if the commit also writes the whole world */
  whole?: Pick<KnownWorld, 'base' | 'wholes' | 'size' | 'since'>
  args: (string | number)[]
}

/** A step is rejected if other replicas changed the world first this many times, for this long (ms). */
const mostOvertaken = 10
const overtakenFor = 1700

/** Lanes in one commit, and concurrent commits: these must not exceed the outcomes that Redis keeps. */
const maxLanes = 500
const maxCommits = 16

/** Characters of patches after which the whole world is written again, if they also exceed twice its size */
const longestTail = 64 * 1024

/** The reply to a commit; the last form is the outcome that Redis keeps. */
type Answer = 1 | 0 | -1 | [id: string, entries: HistoryEntry[] | null]
type Reply =
  | ['ok' | 'full', number, number, Answer[]]
  | ['epoch', number, string | null, string, string]
  | KeptOutcome
type KeptOutcome = [first: number, marks: string]

/**
 * Optimistic concurrency: steps run on cached worlds, then one script commits all of them, but only those lanes whose
 * world is still the current one. The others get the changes they missed, and run again.
 */
export class Lanes {
  /** For the metrics: lanes with a conflict, steps that ran again, records that a full store didn't take */
  conflicts = 0
  reruns = 0
  unrecorded = 0
  /** Called for each record that was committed */
  onRecord: ((record: RawRecord) => void) | undefined
  /** Called for each record that was committed after its request had to be answered with an error */
  onLateRecord: (record: RawRecord) => void = () => {}
  /** Called for an account that is listed without a world that can be read. @returns what to answer */
  onLostAccount: (login: string) => Error = (login) => lostAccount(this.#connection.address, login)
  readonly #connection: Connection
  readonly #epoch: Epoch
  readonly #cache: WorldCache
  readonly #limit: number
  readonly #lanes = new Map<string, Lane>()
  #ready = new Set<Lane>()
  /** Steps that wait for the next commit */
  #planned = 0
  readonly #whenRead = endOfTurn()
  #isPlanned = false
  #trips = 0
  readonly #encoder = new RecordEncoder()
  /** Run and connection for which the encoder's texts are valid; empty: none */
  #encoding = ''
  /** Which world of its login a request saw first (`#identityOf`) */
  readonly #firstSeen = new WeakMap<ReadView, string>()

  /** @param limit maximum number of requests in the journal, and of changes per world that can be rewound */
  constructor(connection: Connection, epoch: Epoch, cache: WorldCache, limit: number) {
    this.#connection = connection
    this.#epoch = epoch
    this.#cache = cache
    this.#limit = limit
  }

  /** @throws StorageError */
  run<T>(login: string | undefined, step: SharedStep<T>, readView?: ReadView): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const name = login ?? ''
      let lane = this.#lanes.get(name)
      if (!lane) {
        lane = { login: name, jobs: [], isUnderWay: false, lost: 0, isAbsent: false }
        this.#lanes.set(name, lane)
      }
      lane.jobs.push({
        step,
        readView,
        began: performance.now(),
        until: undefined,
        overtaken: 0,
        resolve: resolve as (value: unknown) => void,
        reject,
      })
      this.#plan(lane)
    })
  }

  #plan(lane: Lane): void {
    if (lane.isUnderWay) return
    this.#ready.add(lane)
    this.#planned++
    if (this.#isPlanned || this.#trips >= maxCommits) return
    this.#isPlanned = true
    this.#whenRead(
      () => {
        this.#isPlanned = false
        this.#planned = 0
        void this.#startCommit()
      },
      () => this.#planned,
    )
  }

  async #startCommit(): Promise<void> {
    const lanes = [...this.#ready].slice(0, maxLanes)
    for (const lane of lanes) this.#ready.delete(lane)
    if (lanes.length === 0) return
    for (const lane of lanes) lane.isUnderWay = true
    this.#trips++
    if (this.#ready.size > 0) this.#plan(this.#ready.values().next().value as Lane)
    try {
      await this.#commit(lanes)
    } catch (error) {
      // The others changed nothing, or have not run.
      const reason = error instanceof UnknownOutcome ? error.unchanged : error
      for (const lane of lanes) for (const { reject } of lane.jobs.splice(0)) reject(reason)
    }
    this.#trips--
    for (const lane of lanes) this.#settle(lane)
  }

  #settle(lane: Lane): void {
    lane.isUnderWay = false
    if (lane.jobs.length > 0) this.#plan(lane)
    else if (this.#lanes.get(lane.login) === lane) this.#lanes.delete(lane.login)
    const [waiting] = this.#ready
    if (waiting) this.#plan(waiting)
  }

  async #commit(lanes: readonly Lane[]): Promise<void> {
    await this.#connection.whenOpen()
    const { generation } = this.#connection
    const { id, run } = this.#epoch
    this.#encodeFor(run)
    const runs = lanes.map((lane) => this.#run(lane))
    const texts = this.#encoder.takeTexts()
    const sent = performance.now()
    const untils = runs.flatMap(({ lane }) =>
      lane.jobs.map((job) => (job.until ??= sent + this.#connection.timeout)),
    )
    const until = Math.min(...untils)
    let reply: Reply | typeof notExecuted
    try {
      const args: (string | number)[] = [id, run, this.#limit, runs.length, texts.flat.length]
      for (const { args: own } of runs) args.push(...own)
      args.push(...texts.flat)
      const onLate = (outcome: unknown): void => this.#tellLate(runs, outcome as KeptOutcome)
      reply = (await this.#connection.trip('commit', args, until, onLate)) as Reply | typeof notExecuted
    } catch (error) {
      this.#encoding = ''
      for (const one of runs) {
        this.#rollBack(one)
        if (one.undos.length > 0) for (const { job } of one.done) job.reject(error)
      }
      throw error
    }
    if (reply !== notExecuted && reply[0] === 'ok') texts.areStored = true
    else this.#encoding = ''
    if (generation !== this.#connection.generation) this.#cache.clear()
    if (reply === notExecuted) return this.#again(runs)
    for (const { lane } of runs) for (const job of lane.jobs) job.until = undefined
    if (typeof reply[0] === 'number') {
      const [first, marks] = reply
      return this.#finish(
        runs,
        first,
        Array.from(marks, (mark) => (mark === '1' ? 1 : ['', null])),
      )
    }
    this.#epoch.sawTime(reply[1], sent)
    if (reply[0] === 'epoch') {
      const [, , epoch, name, born] = reply
      this.#cache.clear()
      this.#again(runs)
      if (epoch === null) throw lostState(this.#connection.address)
      this.#epoch.set(epoch, name, Number(born))
      return
    }
    const [, , first, answers] = reply as ['ok' | 'full', number, number, Answer[]]
    this.#finish(runs, first, answers)
  }

  /** The encoder may only share texts once the number that the run already has is known. */
  #encodeFor(run: string): void {
    const encoding = `${run} ${this.#connection.generation}`
    if (encoding === this.#encoding) return
    this.#encoding = encoding
    this.#encoder.forget()
    if (this.#limit === 0) return
    void this.#allowTexts(run, encoding)
  }

  async #allowTexts(run: string, encoding: string): Promise<void> {
    const count = await this.#connection.ask('room', [run]).catch(() => mostTexts)
    if (encoding === this.#encoding) this.#encoder.allow(count as number)
  }

  /** Runs the steps of a lane on the cached world. @returns what to compare and to write */
  #run(lane: Lane): Run {
    const known = lane.login === '' || lane.isAbsent ? noAccount : this.#cache.get(lane.login)
    const one: Run = {
      lane,
      asked: lane.jobs.length,
      known,
      done: [],
      records: [],
      undos: [],
      before: { id: known?.id ?? '?', era: known?.era ?? 0, since: known?.since ?? 0 },
      args: [lane.login, known?.id ?? '?', '', '0', '', 0, '1', 0, 0],
    }
    if (!known) return one
    const patches: string[] = []
    let readings = ''
    const { world } = known
    const real = realTime()
    for (const job of lane.jobs.splice(0)) {
      const isLate = job.readView !== undefined && this.#isLate(job.readView, known)
      try {
        const { value, change, record, era } = job.step(
          isLate ? (job.readView?.world ?? world) : world,
          real,
          known,
        )
        if (isLate) {
          job.resolve(value)
          continue
        }
        if (era !== undefined) known.era = era
        if (record) {
          record.birth = known.birth
          record.era = known.era
          one.records.push(record)
        }
        if (change && world) {
          one.undos.push(inversePatch(world as never, change))
          applyChange(world, change)
          world.version++
          patches.push(JSON.stringify(change))
          if ('assumptions' in change || 'limits' in change) readings = readingsText(world)
        }
        one.done.push({ job, value })
      } catch (error) {
        job.reject(error)
      }
    }
    lane.jobs.unshift(...one.done.map(({ job }) => job))
    one.asked = lane.jobs.length
    one.args = [
      lane.login,
      one.before.id,
      ...this.#written(known, patches, readings, one),
      one.records.length,
      ...one.records.flatMap((record) => this.#recordArguments(record)),
    ]
    return one
  }

  /** Arguments for the next history entry: id, oldest id, readings, conflicts, use, number of fields, fields. */
  #written(known: KnownWorld, patches: readonly string[], readings: string, one: Run): (string | number)[] {
    const { world, birth } = known
    const { before } = one
    const isUsed = noteUse(known)
    if (!world || patches.length === 0) return ['', '0', '', 0, isUsed, 0]
    const text = `[${patches.join(',')}]`
    known.id = `${birth}-${world.version}`
    known.since += text.length
    const isWhole = isDue(known)
    const fields = ['p', text, 'f', String(known.base)]
    if (isWhole || known.era !== before.era) fields.push('e', String(known.era))
    let oldest = 0
    if (isWhole) {
      const whole = JSON.stringify(world)
      const wholes = [...known.wholes, world.version]
      const wanted = world.version - this.#limit
      oldest = wholes.findLast((version) => version <= wanted) ?? (wholes[0] as number)
      const kept = wholes.filter((version) => version >= oldest)
      one.whole = { base: world.version, wholes: kept, size: whole.length, since: 0 }
      fields.push('w', whole, 'k', JSON.stringify(kept), 'b', String(known.born))
    }
    return [
      known.id,
      oldest === 0 ? '0' : `${birth}-${oldest}`,
      readings,
      one.lane.lost,
      isUsed,
      fields.length,
      ...fields,
    ]
  }

  /** Resolves the steps of committed lanes; the others run again. @param first 0: a full store records nothing */
  #finish(runs: readonly Run[], first: number, answers: readonly Answer[]): void {
    let id = first
    for (const [index, one] of runs.entries()) {
      const answer = answers[index] as Answer
      if (answer === 1) {
        for (const record of one.records) {
          if (first > 0) record.id = id++
          else this.unrecorded++
          this.onRecord?.(record)
        }
        this.#confirm(one)
      } else if (answer === -1) this.#refuse(one)
      else this.#catchUp(one, answer)
    }
  }

  #tellLate(runs: readonly Run[], [first, marks]: KeptOutcome): void {
    const records = runs.flatMap((one, index) => (marks[index] === '1' ? one.records : []))
    for (const [index, record] of records.entries()) this.onLateRecord({ ...record, id: first + index })
  }

  #confirm({ lane, known, done, whole }: Run): void {
    lane.isAbsent = false
    lane.lost = 0
    if (known?.world && this.#cache.get(lane.login) === known) {
      Object.assign(known, whole)
      this.#cache.set(lane.login, known)
    }
    lane.jobs.splice(0, done.length)
    for (const { job, value } of done) {
      if (job.readView && known && !this.#firstSeen.has(job.readView))
        this.#firstSeen.set(job.readView, this.#identityOf(known))
      job.resolve(value)
    }
  }

  #refuse(one: Run): void {
    this.#rollBack(one)
    one.lane.jobs.splice(0, one.done.length)
    const error = new StorageError(
      `The store ${this.#connection.address} is full (\`maxmemory\`): the change was not made. Give it more memory, or load a smaller scenario.`,
    )
    for (const { job } of one.done) job.reject(error)
  }

  #catchUp(one: Run, answer: Exclude<Answer, 1 | -1>): void {
    const { lane, known } = one
    this.#rollBack(one)
    if (known) {
      lane.lost++
      this.conflicts++
      this.reruns += one.done.length
      for (const { job } of one.done) job.overtaken++
    }
    if (answer === 0) {
      this.#cache.delete(lane.login)
      lane.isAbsent = true
      this.#resolveReads(one, noAccount)
    } else if (answer[0] !== '') {
      const entries = answer[1] ?? []
      const isStillKnown = known?.world !== undefined && this.#cache.get(lane.login) === known
      const next = isStillKnown && follow(known, entries) ? known : readHistory(entries)
      lane.isAbsent = false
      if (next) this.#cache.set(lane.login, next)
      else this.#cache.delete(lane.login)
      if (next) this.#resolveReads(one, next)
      else if (!known) for (const { reject } of lane.jobs.splice(0)) reject(this.onLostAccount(lane.login))
    }
    this.#endOvertaken(lane)
  }

  /** Steps that only look at the world take it from the reply: it was the current one, so they can't be overtaken. */
  #resolveReads({ lane, asked }: Run, known: KnownWorld): void {
    for (const job of lane.jobs.slice(0, asked)) {
      if (job.readView) return
      try {
        const { value, change, record } = job.step(known.world, realTime(), known)
        if (change || record) return
        job.resolve(value)
      } catch (error) {
        job.reject(error)
      }
      lane.jobs.shift()
    }
  }

  /** Rejects steps that other replicas keep from being committed. */
  #endOvertaken(lane: Lane): void {
    const now = performance.now()
    lane.jobs = lane.jobs.filter(({ began, overtaken, reject }) => {
      const took = now - began
      if (overtaken < mostOvertaken || took < overtakenFor) return true
      reject(
        new StorageError(
          `Account ${JSON.stringify(lane.login)} kept being changed by other replicas: ${overtaken} attempts in ${(took / 1000).toFixed(1)} s. Nothing was changed: try again.`,
        ),
      )
      return false
    })
  }

  /** Runs the steps of lanes that the store did not carry out again, unless it took too long. */
  #again(runs: readonly Run[]): void {
    const now = performance.now()
    for (const one of runs) {
      const { lane } = one
      this.#rollBack(one)
      lane.isAbsent = false
      this.reruns += one.done.length
      lane.jobs = lane.jobs.filter(({ until = Infinity, reject }) => {
        if (until >= now) return true
        reject(away(this.#connection.address, 'did not answer in time.'))
        return false
      })
    }
  }

  #rollBack({ known, undos, before }: Run): void {
    if (!known?.world) return
    for (const undo of undos.toReversed()) {
      applyChange(known.world, undo)
      known.world.version--
    }
    Object.assign(known, before)
  }

  #isLate(readView: ReadView, known: KnownWorld): boolean {
    const first = this.#firstSeen.get(readView)
    return (
      this.#epoch.isYounger(known.born, readView.moment) ||
      (first !== undefined && first !== this.#identityOf(known)) ||
      (readView.world !== undefined && !known.world)
    )
  }

  /** Account, what it covers, and the encoded record: events have it even if there is no journal. */
  #recordArguments(record: RawRecord): string[] {
    return [record.account ?? '', responseName(record), this.#encoder.encode(record)]
  }

  #identityOf({ birth }: KnownWorld): string {
    return `${this.#epoch.id} ${birth}`
  }
}

function isDue({ since, size }: KnownWorld): boolean {
  return since > longestTail && since > 2 * size
}

/** Milliseconds: more often than this, the last use of an account isn't written down. */
const useInterval = 100

/** @returns '1' if the use of an account is to be written */
function noteUse(known: KnownWorld): '1' | '' {
  const now = performance.now()
  if (now - known.used < useInterval) return ''
  known.used = now
  return '1'
}

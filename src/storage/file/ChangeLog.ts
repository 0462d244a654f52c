import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { whenIdle } from '../../batch.ts'
import type { Written } from '../Storage.ts'
import { StorageError, systemReason } from '../../store/StorageError.ts'
import { checksum, digits } from './checksum.ts'
import { syncFolder } from './syncFolder.ts'

const synced = promisify(fdatasync)

export const logFormat = 'proxysim-log'

/** The first line of a log. */
export interface LogHeader {
  format: typeof logFormat
  version: 2
  generation: number
  /** Unique */
  id: string
  /** Final checksum of the preceding log; null: it follows the file */
  after: string | null
}

export interface LogPosition {
  generation: number
  /** Checksum of the header */
  id: string
  /** Bytes of the header, and of all complete lines */
  begin: number
  end: number
  /** Checksum at the end */
  sum: number
}

interface Taken {
  /** In pieces if it is long */
  json: string | Written
  undo: () => void
}

/** Why writing has stopped. */
interface Stopped {
  why: string
  /** What became of the change, if everything may be rewritten, as nobody else writes here */
  outcome?: string
}

/**
 * An append-only file of JSON merge patches, one per line after its checksum. Concurrent appends are written to disk
 * together; after a failed write, the file is truncated to its previous length.
 */
export class ChangeLog {
  readonly #fsync: boolean
  #file: string
  #fd: number
  #position: LogPosition
  #left: Left
  #waiting: Taken[] = []
  /** Written but not yet confirmed by the disk; then the position up to which it is */
  #unconfirmed: Taken[] = []
  #confirmed: { end: number; sum: number }
  #stopped: Stopped | undefined
  /** Why the whole state could not be rewritten when that was last tried */
  #failure: string | undefined
  /** The scheduled write */
  #flush: Promise<void> | undefined
  /** The sync in progress, and the next one */
  #sync: Promise<void> | undefined
  #nextSync: Promise<void> | undefined
  /** Set while switching to the next file; blocks writes */
  #turning: Promise<unknown> | undefined

  private constructor(file: string, fd: number, position: LogPosition, fsync: boolean) {
    this.#file = file
    this.#fd = fd
    this.#position = position
    this.#confirmed = { end: position.end, sum: position.sum }
    this.#left = leftAs(fd)
    this.#fsync = fsync
  }

  static open(file: string, position: LogPosition, { fsync }: { fsync: boolean }): ChangeLog {
    return new ChangeLog(file, openSync(file, 'r+'), position, fsync) // append mode would ignore a write's position
  }

  /** Starts a new log. @throws if the file exists */
  static async create(
    file: string,
    header: Pick<LogHeader, 'generation' | 'after'>,
    { fsync }: { fsync: boolean },
  ): Promise<ChangeLog> {
    return new ChangeLog(file, ...begin(file, header), fsync).#named()
  }

  get file(): string {
    return this.#file
  }

  get generation(): number {
    return this.#position.generation
  }

  /** The id by which the file refers to the log */
  get id(): string {
    return this.#position.id
  }

  /** Bytes of changes */
  get length(): number {
    return this.#position.end - this.#position.begin
  }

  /** Whether writing has stopped. */
  get isStopped(): boolean {
    return this.#stopped !== undefined
  }

  /** Whether writing has stopped until the whole state is rewritten. */
  get mayBeRenewed(): boolean {
    return this.#stopped?.outcome !== undefined
  }

  /** Why changes are refused; undefined while they are not. */
  get warning(): string | undefined {
    return this.#stopped && this.#explain(this.#stopped, 'Changes are refused')
  }

  /** @throws StorageError if something else wrote to the log, or replaced it */
  assertOurs(): void {
    this.#stopped ??= changed(this.#file, this.#left)
    if (this.#stopped && !this.mayBeRenewed) throw this.#refusal(this.#stopped)
  }

  /**
   * Appends a line, which is on disk once `writing` resolves.
   * @param undo rolls the change back if it can't be written
   */
  append(json: Taken['json'], undo: () => void): void {
    this.#waiting.push({ json, undo })
    if (this.#flush) return
    this.#flush = new Promise((resolve, reject) => {
      const write = (): void => {
        if (this.#turning) return void this.#turning.then(write)
        this.#flush = undefined
        try {
          resolve(this.#write())
        } catch (error) {
          reject(error)
        }
      }
      whenIdle(write, () => this.#waiting.length)
    })
    this.#flush.catch(() => {}) // callers that wait get the error; not every caller waits
  }

  /**
   * Resolves once everything appended is on disk, rejects with a StorageError if none of it is; undefined if all is. Until
   * then it may be rolled back.
   */
  get writing(): Promise<void> | undefined {
    return this.#flush ?? this.#nextSync ?? this.#sync
  }

  /** Resolves once nothing is left to write, whether or not it succeeded. */
  async settled(): Promise<void> {
    while (this.writing) await this.writing.catch(() => {})
  }

  /**
   * Continues in a new file, the next generation, once everything before is confirmed.
   * @returns a check that throws a StorageError if something else has written to the old file since
   * @throws StorageError
   */
  async turn(file: string): Promise<() => void> {
    const turning = this.#turn(file)
    this.#turning = turning.catch(() => {}).finally(() => (this.#turning = undefined))
    return turning
  }

  /** Continues in another log, which replaces this one after it was stopped. */
  adopt(other: ChangeLog): void {
    closeSync(this.#fd)
    this.#file = other.#file
    this.#fd = other.#fd
    this.#position = other.#position
    this.#confirmed = other.#confirmed
    this.#left = other.#left
    this.#stopped = undefined
    this.#failure = undefined
  }

  /** Call if the whole state can't be rewritten. @param failure a sentence: which file, and why */
  notRenewed(failure: string): void {
    // A missing folder is looked for at each refusal: it may come back.
    this.#failure = existsSync(dirname(this.#file)) ? failure : undefined
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** Writes what is pending. @returns resolves once the disk confirms it, if fsync is on */
  #write(): Promise<void> | undefined {
    const batch = this.#waiting
    this.#waiting = []
    try {
      this.#stopped ??= this.#look()
      if (this.#stopped) throw this.#refusal(this.#stopped)
    } catch (error) {
      takeBack(batch)
      throw error
    }
    let { sum, end } = this.#position
    let text = ''
    try {
      for (const { json } of batch)
        if (typeof json === 'string') {
          sum = checksum(json, sum)
          text += `${digits(sum)} ${json}\n`
        } else {
          for (const piece of json) sum = checksum(piece, sum)
          end = this.#put(Buffer.from(`${text}${digits(sum)} `), end)
          for (const piece of json) end = this.#put(piece, end)
          text = '\n'
        }
      end = this.#put(Buffer.from(text), end)
    } catch (error) {
      takeBack(batch)
      this.#cutBack()
      throw new StorageError(
        `The change could not be written to ${this.#file} (${systemReason(error)}); nothing was changed.`,
        { cause: error },
      )
    }
    this.#position.end = end
    this.#position.sum = sum
    this.#left.size = this.#position.end
    if (!this.#fsync) return undefined
    this.#unconfirmed.push(...batch)
    return this.#confirm()
  }

  /** @returns the end position */
  #put(bytes: Uint8Array, at: number): number {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#fd, bytes, done, undefined, at + done)
    return at + bytes.length
  }

  /** Runs before each write. Checking the open file costs half as much as looking it up by name. */
  #look(): Stopped | undefined {
    const { nlink, size } = fstatSync(this.#fd)
    return nlink > 0 && size === this.#left.size ? undefined : changed(this.#file, this.#left)
  }

  /**
   * Waits for the disk. One sync at a time: the system reports an error to only one of several, but it affects them
   * all.
   */
  #confirm(): Promise<void> {
    this.#nextSync ??= this.#confirmAfter(this.#sync)
    return this.#nextSync
  }

  async #confirmAfter(before: Promise<void> = Promise.resolve()): Promise<void> {
    await before.catch(() => {})
    this.#sync = this.#nextSync
    this.#nextSync = undefined
    try {
      if (this.#stopped) throw this.#refusal(this.#stopped)
      const { end, sum } = this.#position
      const covered = this.#unconfirmed.length
      await synced(this.#fd)
      this.#unconfirmed.splice(0, covered)
      this.#confirmed = { end, sum }
    } catch (error) {
      throw this.#giveUp(error)
    } finally {
      this.#sync = undefined
    }
  }

  /** Rolls back what wasn't confirmed, and everything after it. */
  #giveUp(error: unknown): StorageError {
    // We can't know what is on disk, and asking again doesn't help: the system reports an error only once.
    this.#stopped ??= {
      why: `The disk did not confirm what was written to ${this.#file} (${systemReason(error)}).`,
      outcome: 'The change was undone',
    }
    takeBack([...this.#unconfirmed, ...this.#waiting])
    this.#unconfirmed = []
    this.#waiting = []
    Object.assign(this.#position, this.#confirmed)
    if (this.mayBeRenewed) this.#cutBack()
    return this.#refusal(this.#stopped)
  }

  async #turn(file: string): Promise<() => void> {
    await (this.#nextSync ?? this.#sync)
    if (this.#stopped) throw this.#refusal(this.#stopped)
    const old = { file: this.#file, left: this.#left }
    const { generation, sum } = this.#position
    const after = digits(sum)
    this.adopt(await ChangeLog.create(file, { generation: generation + 1, after }, { fsync: this.#fsync }))
    return () => {
      const stopped = changed(old.file, old.left)
      if (stopped && stopped.outcome === undefined) throw new StorageError(stopped.why)
    }
  }

  #refusal(stopped: Stopped): StorageError {
    return new StorageError(this.#explain(stopped, stopped.outcome))
  }

  #explain({ why, outcome }: Stopped, result: string | undefined): string {
    if (outcome === undefined) return why
    const folder = dirname(this.#file)
    if (!existsSync(folder))
      return `${why} ${result}, and the whole state can't be rewritten: the folder ${folder} is missing. Create it again, and try again.`
    if (this.#failure !== undefined)
      return `${why} ${result}, and ${this.#failure} Each change makes another attempt.`
    return `${why} ${result}, and the whole state is being rewritten: try again.`
  }

  /** Makes sure that a new file is still there after a power loss. */
  async #named(): Promise<this> {
    if (!this.#fsync) return this
    try {
      await synced(this.#fd)
      await syncFolder(dirname(this.#file))
    } catch (error) {
      this.close()
      rmSync(this.#file, { force: true })
      throw error
    }
    return this
  }

  /** A partial line may have been written. If it can't be truncated now, the next write overwrites it. */
  #cutBack(): void {
    try {
      ftruncateSync(this.#fd, this.#position.end)
    } catch {
      // Writes have explicit positions, so leftovers do no harm.
    }
    this.#left = leftAs(this.#fd)
  }
}

/** A file as we left it: if it differs, something else has written to it. */
interface Left {
  ino: number
  size: number
}

function leftAs(fd: number): Left {
  const { ino, size } = fstatSync(fd)
  return { ino, size }
}

/** Why a file isn't as we left it: perhaps another process that the lock didn't keep out. */
function changed(file: string, left: Left): Stopped | undefined {
  const outcome = 'Nothing was changed'
  try {
    const { ino, size } = statSync(file)
    if (ino === left.ino && size === left.size) return undefined
    if (ino === left.ino && size < left.size)
      return { why: `${file} was truncated while it was in use.`, outcome }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return { why: `${file} was removed while it was in use.`, outcome }
    throw new StorageError(`${file} can't be inspected (${systemReason(error)}).`)
  }
  return {
    why: `${file} was changed by another program while it was in use. proxysim has stopped writing to it, and refuses further changes. Stop the other program, and start again.`,
  }
}

/** Rolls changes back, the last one first. */
function takeBack(changes: readonly Taken[]): void {
  for (const { undo } of changes.toReversed()) undo()
}

/** Creates a file with a header. */
function begin(
  file: string,
  { generation, after }: Pick<LogHeader, 'generation' | 'after'>,
): [number, LogPosition] {
  const header: LogHeader = { format: logFormat, version: 2, generation, id: randomUUID(), after }
  const json = JSON.stringify(header)
  const sum = checksum(json)
  const line = `${digits(sum)} ${json}\n`
  const fd = openSync(file, 'wx+')
  try {
    writeFileSync(fd, line) // writes everything: `writeSync` can stop halfway on a full disk without an error
  } catch (error) {
    closeSync(fd)
    rmSync(file, { force: true })
    throw error
  }
  return [fd, { generation, id: digits(sum), begin: line.length, end: line.length, sum }]
}

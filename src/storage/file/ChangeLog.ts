import { randomUUID } from 'node:crypto'
import {
  closeSync,
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
import { StorageError, systemReason } from '../StorageError.ts'
import { checksum, digits } from './checksum.ts'
import { syncFolder } from './syncFolder.ts'

const synced = promisify(fdatasync)

export const logFormat = 'proxysim-log'

/** The first line of a log. */
export interface LogHeader {
  format: typeof logFormat
  version: 2
  generation: number
  /** No two logs have the same. */
  id: string
  /** Checksum at the end of the log that this one goes on from; null: it goes on from the file alone. */
  after: string | null
}

/** What a log is by: the name that the file knows it by, and how far it goes. */
export interface LogPosition {
  generation: number
  /** Checksum of the header */
  id: string
  /** Bytes of the header, and of all whole lines */
  begin: number
  end: number
  /** Checksum at the end */
  sum: number
}

interface Taken {
  /** A long one is in pieces. */
  json: string | readonly Uint8Array[]
  undo: () => void
}

/** Why nothing more is written. */
interface Stopped {
  why: string
  /** Nobody else writes here, so all may be written anew. */
  mayBeRenewed: boolean
}

/**
 * A file of JSON merge patches, one a line behind its checksum, that only grows. What is appended at the same time goes
 * to the disk in one write; a write that fails leaves the file as long as it was.
 */
export class ChangeLog {
  readonly #fsync: boolean
  #file: string
  #fd: number
  #position: LogPosition
  #left: Left
  #waiting: Taken[] = []
  /** Written, and the disk has not confirmed it yet; up to where it has. */
  #unconfirmed: Taken[] = []
  #confirmed: { end: number; sum: number }
  #stopped: Stopped | undefined
  /** The write that is to come */
  #flush: Promise<void> | undefined
  /** The wait for the disk that is under way, and the one that follows it */
  #sync: Promise<void> | undefined
  #nextSync: Promise<void> | undefined
  /** While the next file is begun, nothing is written. */
  #turning: Promise<unknown> | undefined

  private constructor(file: string, fd: number, position: LogPosition, fsync: boolean) {
    this.#file = file
    this.#fd = fd
    this.#position = position
    this.#confirmed = { end: position.end, sum: position.sum }
    this.#left = leftAs(fd)
    this.#fsync = fsync
  }

  /** Goes on in a log that is there. */
  static open(file: string, position: LogPosition, { fsync }: { fsync: boolean }): ChangeLog {
    return new ChangeLog(file, openSync(file, 'r+'), position, fsync) // in append mode, a write's position would be ignored
  }

  /** Begins one. @throws if there is a file of that name */
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

  /** What the file knows the log by */
  get id(): string {
    return this.#position.id
  }

  /** Bytes of changes */
  get length(): number {
    return this.#position.end - this.#position.begin
  }

  /** Whether nothing more is written. */
  get isStopped(): boolean {
    return this.#stopped !== undefined
  }

  /** Whether nothing more is written until all of the state has been written anew. */
  get mayBeRenewed(): boolean {
    return this.#stopped?.mayBeRenewed === true
  }

  /** @throws StorageError if something else writes to the log, or has put another in its place */
  assertOurs(): void {
    this.#stopped ??= changed(this.#file, this.#left)
    if (this.#stopped?.mayBeRenewed === false) throw new StorageError(this.#stopped.why)
  }

  /**
   * Takes a line in; it is on disk when `flushed` resolves.
   * @param undo takes the change back if it can't be written
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
    this.#flush.catch(() => {}) // whoever waits for it is told; nobody has to wait
  }

  /** Resolves when everything that was taken in is on disk. @throws StorageError, and then none of it is */
  async flushed(): Promise<void> {
    await this.writing
  }

  /** The same, undefined if everything is on disk: what is not may be taken back. */
  get writing(): Promise<void> | undefined {
    return this.#flush ?? this.#nextSync ?? this.#sync
  }

  /** Resolves when nothing was left to be written, however the writing went. */
  async settled(): Promise<void> {
    while (this.writing) await this.flushed().catch(() => {})
  }

  /**
   * Goes on in a new file, the next generation. What was written before is confirmed then.
   * @returns throws a StorageError if something else has written to the old one since
   * @throws StorageError
   */
  async turn(file: string): Promise<() => void> {
    const turning = this.#turn(file)
    this.#turning = turning.then(
      () => (this.#turning = undefined),
      () => (this.#turning = undefined),
    )
    return turning
  }

  /** Goes on in another log, which was begun for it; this one was stopped. */
  adopt(other: ChangeLog): void {
    closeSync(this.#fd)
    this.#file = other.#file
    this.#fd = other.#fd
    this.#position = other.#position
    this.#confirmed = other.#confirmed
    this.#left = other.#left
    this.#stopped = undefined
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** Writes what waits. @returns resolves when the disk has confirmed it, if that is to be waited for */
  #write(): Promise<void> | undefined {
    const batch = this.#waiting
    this.#waiting = []
    try {
      this.#stopped ??= this.#look()
      if (this.#stopped) throw new StorageError(this.#stopped.why)
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

  /** @returns where it ends */
  #put(bytes: Uint8Array, at: number): number {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#fd, bytes, done, undefined, at + done)
    return at + bytes.length
  }

  /** Before each write. What is open costs half as much to look at as what has to be found by its name. */
  #look(): Stopped | undefined {
    const { nlink, size } = fstatSync(this.#fd)
    return nlink > 0 && size === this.#left.size ? undefined : changed(this.#file, this.#left)
  }

  /**
   * Waits for the disk, from now on. One wait at a time: of an error the system tells one of those that wait, and it
   * concerns them all.
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
      if (this.#stopped) throw new StorageError(this.#stopped.why)
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

  /** Takes back what was not confirmed, and what was built on it. */
  #giveUp(error: unknown): StorageError {
    // What is on disk now nobody knows, and to ask again would not tell: the system tells an error once.
    this.#stopped ??= {
      why: `The disk does not confirm what was written to ${this.#file} (${systemReason(error)}). The change was taken back; the whole state is being written anew, try again.`,
      mayBeRenewed: true,
    }
    takeBack([...this.#unconfirmed, ...this.#waiting])
    this.#unconfirmed = []
    this.#waiting = []
    Object.assign(this.#position, this.#confirmed)
    if (this.#stopped.mayBeRenewed) this.#cutBack()
    return new StorageError(this.#stopped.why)
  }

  async #turn(file: string): Promise<() => void> {
    await (this.#nextSync ?? this.#sync)
    if (this.#stopped) throw new StorageError(this.#stopped.why)
    const old = { file: this.#file, left: this.#left }
    const { generation, sum } = this.#position
    const after = digits(sum)
    this.adopt(await ChangeLog.create(file, { generation: generation + 1, after }, { fsync: this.#fsync }))
    return () => {
      const stopped = changed(old.file, old.left)
      if (stopped?.mayBeRenewed === false) throw new StorageError(stopped.why)
    }
  }

  /** Waits until a new file is found again after a loss of power. */
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

  /** Half a line may have got through. If it can't be cut off now, the next write overwrites it. */
  #cutBack(): void {
    try {
      ftruncateSync(this.#fd, this.#position.end)
    } catch {
      // writes name their position, so what is left over does no harm
    }
    this.#left = leftAs(this.#fd)
  }
}

/** A file as it was left: if it is another one day, something else writes to it. */
interface Left {
  ino: number
  size: number
}

function leftAs(fd: number): Left {
  const { ino, size } = fstatSync(fd)
  return { ino, size }
}

/** Why a file is not as it was left: another process may be at work that no lock kept out. */
function changed(file: string, left: Left): Stopped | undefined {
  const renewing = 'Nothing was changed; the whole state is being written anew, try again.'
  try {
    const { ino, size } = statSync(file)
    if (ino === left.ino && size === left.size) return undefined
    if (ino === left.ino && size < left.size)
      return { why: `${file} was cut short while it was in use. ${renewing}`, mayBeRenewed: true }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return { why: `${file} was removed while it was in use. ${renewing}`, mayBeRenewed: true }
    throw new StorageError(`${file} can't be inspected (${systemReason(error)}).`)
  }
  return {
    why: `${file} was changed by another program while it was in use. proxysim has stopped writing to it, and refuses further changes. Stop the other program, and start again.`,
    mayBeRenewed: false,
  }
}

/** Takes changes back, the last one first. */
function takeBack(changes: readonly Taken[]): void {
  for (const { undo } of changes.toReversed()) undo()
}

/** A file with a header. */
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
    writeFileSync(fd, line) // all of it: `writeSync` may stop half-way on a full disk, and not say so
  } catch (error) {
    closeSync(fd)
    rmSync(file, { force: true })
    throw error
  }
  return [fd, { generation, id: digits(sum), begin: line.length, end: line.length, sum }]
}

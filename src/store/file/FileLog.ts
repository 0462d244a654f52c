import { randomUUID } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Low } from 'lowdb'
import { DataFile } from 'lowdb/node'
import { makeFolder } from '../../lib/files.ts'
import { UserError } from '../../lib/UserError.ts'
import { whenIdle } from '../../lib/whenIdle.ts'
import type { Line, StateLog } from '../LocalStore.ts'
import type { State } from '../State.ts'
import { StateFileError, StorageError, systemReason } from '../StorageError.ts'
import { endings, notOurs, readFileText, readLog, writeFileText, writeLine, type Stored } from './format.ts'
import { lockFile, type Lock } from './lockFile.ts'

export interface FileSettings {
  /** Receives what was repaired at the start, and what fails in the background */
  warn: (message: string) => void
  /** Rewrite the file once the log has more bytes than this, and twice as many as the file */
  minLogBytes?: number
}

/**
 * Opens a state file: the state in JSON (`db.json`), replaced as a whole now and then, and beside it a log of the
 * changes since (`db.json.log`), one a line. The file says up to which change it has them, so a crash between the two
 * does no harm.
 * @throws StateFileError if the file isn't ours, is damaged or in use
 */
export async function openFileStorage(path: string, settings: FileSettings): Promise<FileLog> {
  const named = resolve(path)
  try {
    makeFolder(dirname(named))
    const found = statSync(named, { throwIfNoEntry: false })
    if (found && !found.isFile()) throw notOurs(named, 'it is not a regular file') // a device might never end
    // Two names of a file must not count as two files.
    const file = found ? realpathSync(named) : join(realpathSync(dirname(named)), basename(named))
    const lock = await lockFile(file)
    try {
      return await openLocked(file, lock, settings)
    } catch (error) {
      lock.release()
      throw error
    }
  } catch (error) {
    if (error instanceof UserError || !(error instanceof Error) || !('code' in error)) throw error
    const why = `${named} can't be used (${systemReason(error)}). Name another file with --db.`
    throw new StateFileError(why, { cause: error })
  }
}

async function openLocked(file: string, lock: Lock, settings: FileSettings): Promise<FileLog> {
  const log = `${file}.log`
  const [size, logSize] = [file, log].map((name) => statSync(name, { throwIfNoEntry: false })?.size)
  if (size === undefined && logSize) throw notOurs(log, `it is the log of ${file}, which is missing`)
  const adapter = new DataFile<Stored>(file, {
    parse: (text) => readFileText(file, text),
    stringify: writeFileText,
  })
  const db = new Low<Stored>(adapter, { id: randomUUID(), sequence: 0, state: null, hasLog: true })
  await db.read()
  const { hasLog, sequence } = db.data
  if (size !== undefined && hasLog && logSize === undefined)
    throw notOurs(file, `its log ${log} is missing, and changes that were answered with it`)
  const read = readLog(log, logSize === undefined ? Buffer.alloc(0) : readFileSync(log), db.data)
  if (!hasLog && read.sequence > sequence)
    throw notOurs(log, `${file} was stopped without one, so the two don't belong together`)
  if (read.torn > 0)
    settings.warn(
      `The last line of ${log} is incomplete (${read.torn} bytes) and was dropped; the request behind it was never answered.`,
    )
  const fd = openSync(log, logSize === undefined ? 'w+' : 'r+')
  ftruncateSync(fd, read.whole)
  if (size === undefined) await db.write()
  else if (!hasLog) markLog(file, true) // before the first change
  return new FileLog({ file, lock, db, fd, isNew: size === undefined, ...read }, settings)
}

/** Writes into a file, which has all that its log has, whether it has one. */
function markLog(file: string, hasLog: boolean): void {
  const ending = endings[`${hasLog}`]
  const fd = openSync(file, 'r+')
  writeSync(fd, ending, fstatSync(fd).size - ending.length)
  closeSync(fd)
}

interface OpenFile {
  file: string
  lock: Lock
  db: Low<Stored>
  fd: number
  isNew: boolean
  state: State | null
  sequence: number
  whole: number
}

/** Made by `openFileStorage`. */
export class FileLog implements StateLog {
  readonly found: State | undefined
  readonly #file: string
  readonly #log: string
  readonly #lock: Lock
  readonly #db: Low<Stored>
  readonly #id: string
  readonly #settings: FileSettings
  #present: (() => State) | undefined
  /** Of the file, as we left it */
  #inode: number
  #size: number
  /** The log, where it ends, and the number of its last line */
  #fd: number
  #end: number
  #sequence: number
  #waiting: { line: Line; undo: () => void }[] = []
  #writing: Promise<void> | undefined
  #compaction: Promise<void> | undefined
  /** Bytes of the log from which on the file is rewritten */
  #due: number
  #problem: string | undefined

  constructor({ file, lock, db, fd, isNew, state, sequence, whole }: OpenFile, settings: FileSettings) {
    this.found = state ?? undefined
    this.#file = file
    this.#log = `${file}.log`
    this.#lock = lock
    this.#db = db
    this.#id = db.data.id
    this.#fd = fd
    this.#end = whole
    this.#sequence = sequence
    this.#settings = settings
    const { ino, size } = statSync(file)
    this.#inode = ino
    this.#size = size
    this.#due = isNew ? 0 : this.#nextDue()
    db.data.state = null // nobody needs it any more
  }

  get problem(): string | undefined {
    return this.#problem
  }

  get writing(): Promise<void> | undefined {
    return this.#writing
  }

  attach(present: () => State): void {
    this.#present = present
  }

  /** Changes of one turn share a write. */
  append(line: Line, undo: () => void): Promise<void> {
    this.#waiting.push({ line, undo })
    this.#writing ??= new Promise<void>((written) => {
      whenIdle(written, () => this.#waiting.length)
    }).then(() => this.#writeWaiting())
    return this.#writing
  }

  #writeWaiting(): void {
    const entries = this.#waiting
    this.#waiting = []
    this.#writing = undefined
    try {
      this.#assertOurs()
      const lines = entries.map(({ line }, i) => writeLine(this.#id, this.#sequence + 1 + i, line))
      this.#write(Buffer.from(lines.join('')))
      this.#sequence += lines.length
    } catch (error) {
      for (const { undo } of entries.toReversed()) undo()
      if (error instanceof StorageError) throw error
      throw new StorageError(
        `The change could not be written to ${this.#log} (${systemReason(error)}); nothing was changed.`,
        { cause: error },
      )
    }
    if (this.#end > this.#due) this.#compaction ??= this.#compactAside()
  }

  #write(bytes: Buffer): void {
    try {
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#fd, bytes, done, undefined, this.#end + done) // may write a part without an error
      this.#end += bytes.length
    } catch (error) {
      ftruncateSync(this.#fd, this.#end)
      throw error
    }
  }

  /** @throws StorageError if somebody else has taken, changed or removed what is ours */
  #assertOurs(): void {
    const { nlink, size } = fstatSync(this.#fd)
    if (nlink === 0 || size !== this.#end || !this.#lock.isOurs())
      this.#problem ??= `${this.#log} was removed or changed by another program while it was in use. Changes are refused. Stop the other program, and start again.`
    if (this.#problem !== undefined) throw new StorageError(this.#problem)
  }

  async #compactAside(): Promise<void> {
    try {
      await this.#compact()
      this.#due = this.#nextDue()
    } catch (error) {
      this.#due = 2 * this.#end + this.#nextDue()
      this.#settings.warn(this.#failure(error))
    } finally {
      this.#compaction = undefined
    }
  }

  /** Writes the state to the file, then drops the lines that it contains. Nothing is waiting, so the state is on disk. */
  async #compact(hasLog = true): Promise<void> {
    if (!this.#present) return
    const begin = this.#end
    if (statSync(this.#file, { throwIfNoEntry: false })?.ino !== this.#inode)
      throw new Error('another program replaced it while it was in use')
    this.#db.data = { id: this.#id, sequence: this.#sequence, state: this.#present(), hasLog }
    try {
      await this.#db.write()
    } catch (error) {
      rmSync(join(dirname(this.#file), `.${basename(this.#file)}.tmp`), { force: true }) // lowdb leaves it
      throw error
    } finally {
      this.#db.data.state = null
    }
    const handle = await open(this.#file, 'r+')
    try {
      await handle.sync()
      const { ino, size } = await handle.stat()
      this.#inode = ino
      this.#size = size
    } finally {
      await handle.close()
    }
    this.#assertOurs()
    const draft = `${this.#log}.tmp`
    writeFileSync(draft, readFileSync(this.#log).subarray(begin))
    closeSync(this.#fd) // Windows renames onto no open file
    try {
      renameSync(draft, this.#log)
      this.#end -= begin
    } finally {
      this.#fd = openSync(this.#log, 'r+')
    }
  }

  /** That adds half a byte of writes per byte of the log. */
  #nextDue(): number {
    return Math.max(this.#settings.minLogBytes ?? 1024 * 1024, 2 * this.#size)
  }

  #failure(error: unknown): string {
    if (this.#problem !== undefined) return this.#problem
    return `${this.#file} could not be replaced (${systemReason(error)}). No change is lost: the changes are in ${this.#log}.`
  }

  /**
   * Copies what the file holds to a backup, replacing an older one; `--db` can open it.
   * @returns the name of that file
   * @throws StorageError
   */
  backUp(): string {
    const backup = `${this.#file}.bak`
    try {
      copyFileSync(this.#file, backup)
      copyFileSync(this.#log, `${backup}.log`)
      return backup
    } catch (error) {
      throw new StorageError(`${backup} can't be written (${systemReason(error)}).`, { cause: error })
    }
  }

  /** Leaves a file that has everything, and no log. @throws StorageError */
  async close(): Promise<void> {
    try {
      await this.#writing?.catch(() => {})
      await this.#compaction
      this.#assertOurs()
      if (this.#end > 0) await this.#compact(false)
      else markLog(this.#file, false)
      if (this.#end === 0) rmSync(this.#log)
    } catch (error) {
      throw new StorageError(this.#failure(error), { cause: error })
    } finally {
      closeSync(this.#fd)
      this.#lock.release()
    }
  }
}

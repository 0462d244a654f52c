import { crc32 } from 'node:zlib'
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
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
import type { Place } from '../../world/change.ts'
import type { State } from '../State.ts'
import { StorageError, systemReason } from '../StorageError.ts'
import type { Commit } from '../Store.ts'
import { fileText, lineText, notOurs, readFileText, readLog, type FileContent } from './format.ts'
import { lockFile, type Lock } from './lockFile.ts'

export interface FileSettings {
  /** Receives what was repaired at the start, and what fails in the background */
  warn: (message: string) => void
  /** Rewrite the file once the log has more bytes than this, and four times as many as the file */
  minLogBytes?: number
}

/**
 * Opens a state file: the state in JSON (`db.json`), replaced as a whole now and then, and beside it a log of the
 * changes since (`db.json.log`), one a line. The file says up to which change it has them, so a crash between the two
 * does no harm.
 * @throws StorageError if the file isn't ours, is damaged or in use
 */
export async function openFileStorage(path: string, settings: FileSettings): Promise<FileLog> {
  const named = resolve(path)
  let lock: Lock | undefined
  try {
    makeFolder(dirname(named))
    const found = statSync(named, { throwIfNoEntry: false })
    if (found && !found.isFile()) throw notOurs(named, 'it is not a regular file') // a device might never end
    // Two names of a file must not count as two files.
    const file = found ? realpathSync(named) : join(realpathSync(dirname(named)), basename(named))
    lock = await lockFile(file)
    return new FileLog(file, lock, await read(file, settings), settings)
  } catch (error) {
    lock?.release()
    if (error instanceof UserError || !('code' in (error as Error))) throw error
    const why = `${named} can't be used (${systemReason(error)}). Name another file with --db.`
    throw new StorageError(why, { cause: error })
  }
}

/** What a file holds together with its log. @throws StorageError if it isn't ours, or damaged */
async function read(file: string, { warn }: FileSettings): Promise<Low<FileContent>> {
  const log = `${file}.log`
  const adapter = new DataFile<FileContent>(file, {
    parse: (text) => readFileText(file, text),
    stringify: fileText,
  })
  const db = new Low<FileContent>(adapter, { id: randomUUID(), sequence: 0, state: null, hasLog: true })
  await db.read()
  const bytes = existsSync(log) ? readFileSync(log) : undefined
  if (db.data.state === null) {
    if (bytes?.length) throw notOurs(log, `it is the log of ${file}, which is missing`)
    return db
  }
  if (db.data.hasLog && !bytes)
    throw notOurs(file, `its log ${log} is missing, and changes that were answered with it`)
  const torn = readLog(log, bytes ?? Buffer.alloc(0), db.data)
  if (torn > 0)
    warn(
      `The last line of ${log} is incomplete (${torn} bytes) and was dropped; the request behind it was never answered.`,
    )
  return db
}

/** Made by `openFileStorage`. Nothing is written before `begin`. */
export class FileLog {
  /** The state that it held at the start; undefined if there was none */
  readonly found: State | undefined
  readonly #file: string
  readonly #log: string
  readonly #lock: Lock
  readonly #db: Low<FileContent>
  /** Checksum of the log's id, with which those of its lines begin */
  readonly #seal: number
  readonly #settings: FileSettings
  #present: (() => State) | undefined
  /** Of the file, as we left it */
  #inode: number | undefined
  /** The log, and where it ends; its last line has number `#db.data.sequence` */
  #fd = -1
  #end = 0
  /** The lines of the log in which tables are */
  #places = new WeakMap<object, Place>()
  /** Bytes of the log from which on the file is rewritten */
  #due = 0
  #compaction: Promise<void> | undefined

  constructor(file: string, lock: Lock, db: Low<FileContent>, settings: FileSettings) {
    this.found = db.data.state ?? undefined
    this.#file = file
    this.#log = `${file}.log`
    this.#lock = lock
    this.#db = db
    this.#seal = crc32(db.data.id)
    this.#settings = settings
    this.#inode = statSync(file, { throwIfNoEntry: false })?.ino
  }

  /** Begins with a state, in the place of what was found. @param present the state with all that was written @throws StorageError */
  async begin(present: () => State): Promise<void> {
    try {
      this.#fd = openSync(this.#log, constants.O_RDWR | constants.O_CREAT)
      this.#end = fstatSync(this.#fd).size
      this.#present = present
      await this.#compact()
    } catch (error) {
      this.#present = undefined // there is nothing to write at the end
      throw new StorageError(`${this.#file} can't be written (${systemReason(error)}).`, { cause: error })
    }
  }

  /** Writes all of them or nothing. @throws StorageError */
  write(changes: readonly (Commit | State)[]): void {
    const { sequence } = this.#db.data
    const lines = changes.map((one, i) => lineText(this.#seal, sequence + 1 + i, one, this.#places))
    const bytes = Buffer.from(lines.join(''))
    this.#assertOurs()
    try {
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#fd, bytes, done, undefined, this.#end + done) // may write a part without an error
    } catch (error) {
      this.#places = new WeakMap() // those of these lines as well
      ftruncateSync(this.#fd, this.#end)
      throw new StorageError(
        `The change could not be written to ${this.#log} (${systemReason(error)}); nothing was changed.`,
        { cause: error },
      )
    }
    this.#end += bytes.length
    this.#db.data.sequence += changes.length
    if (this.#end > this.#due) this.#compaction ??= this.#compactAside()
  }

  /** @throws StorageError if somebody else has taken, changed or removed what is ours */
  #assertOurs(): void {
    const { nlink, size } = fstatSync(this.#fd)
    if (nlink === 0 || size !== this.#end || !this.#lock.isOurs())
      throw new StorageError(
        `${this.#log} was removed or changed by another program while it was in use. Changes are refused. Stop the other program, and start again.`,
      )
  }

  async #compactAside(): Promise<void> {
    try {
      await this.#compact()
    } catch (error) {
      this.#due = 2 * this.#end
      this.#settings.warn(this.#failure(error))
    } finally {
      this.#compaction = undefined
    }
  }

  /** Writes the state to the file, then drops the lines that it contains. */
  async #compact(): Promise<void> {
    const contained = this.#end
    this.#places = new WeakMap() // lines after these can't refer to them
    const size = await this.#writeFile(true)
    this.#due = Math.max(this.#settings.minLogBytes ?? 1024 * 1024, 4 * size) // a quarter of a byte of writes per byte of the log
    const draft = `${this.#log}.tmp`
    writeFileSync(draft, readFileSync(this.#log).subarray(contained))
    closeSync(this.#fd) // Windows renames onto no open file
    try {
      renameSync(draft, this.#log)
      this.#end -= contained
    } finally {
      this.#fd = openSync(this.#log, 'r+')
    }
  }

  /** Replaces the file by the present state, all of which is in the log already. @returns its size */
  async #writeFile(hasLog: boolean): Promise<number> {
    if (statSync(this.#file, { throwIfNoEntry: false })?.ino !== this.#inode)
      throw new Error('another program replaced it while it was in use')
    Object.assign(this.#db.data, { state: this.#present?.(), hasLog })
    try {
      await this.#db.write()
    } finally {
      this.#db.data.state = null // nobody needs it any more
    }
    const handle = await open(this.#file, 'r+')
    try {
      await handle.sync()
      const { ino, size } = await handle.stat()
      this.#inode = ino
      this.#assertOurs()
      return size
    } finally {
      await handle.close()
    }
  }

  #failure(error: unknown): string {
    if (error instanceof StorageError) return error.message
    return `${this.#file} could not be replaced (${systemReason(error)}). No change is lost: the changes are in ${this.#log}.`
  }

  /**
   * Writes what was found to a backup, replacing an older one; `--db` can open it.
   * @returns the name of that file
   * @throws StorageError
   */
  backUp(): string {
    const backup = `${this.#file}.bak`
    try {
      writeFileSync(backup, fileText({ ...this.#db.data, hasLog: false }))
      return backup
    } catch (error) {
      throw new StorageError(`${backup} can't be written (${systemReason(error)}).`, { cause: error })
    }
  }

  /** Leaves a file that has everything, and no log. @throws StorageError */
  async close(): Promise<void> {
    try {
      await this.#compaction
      if (!this.#present) return
      this.#assertOurs()
      await this.#writeFile(false)
      rmSync(this.#log)
    } catch (error) {
      throw new StorageError(this.#failure(error), { cause: error })
    } finally {
      if (this.#fd >= 0) closeSync(this.#fd)
      this.#lock.release()
    }
  }
}

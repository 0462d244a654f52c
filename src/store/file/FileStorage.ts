import { randomInt } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Adapter, Low } from 'lowdb'
import { resolveLinks } from '../../lib/files.ts'
import { UserError } from '../../lib/UserError.ts'
import type { LocalState, StateChange } from '../LocalState.ts'
import { StorageError, systemReason } from '../StorageError.ts'
import {
  endMark,
  type FileContent,
  fileText,
  hasNoChange,
  headerText,
  renderLines,
  unusableFile,
  readFileText,
  readLog,
} from './format.ts'
import { type Lock, lockFile } from './lockFile.ts'

export interface FileStorageSettings {
  /** Called with a message for each repair at the start, and for each failure in the background */
  warn: (message: string) => void
  /** Size of the log in bytes beyond which the file is rewritten, if the log is also four times as large as the file */
  minLogBytes?: number
}

/**
 * Opens a state file (`db.json`) and its log. The file contains the state in JSON, and is rewritten from time to time. The log
 * (`db.json.log`) contains the changes since then, one per line. The file names the last change that it contains, so a crash
 * between writing the two loses nothing.
 * @throws StorageError if the file wasn't written by proxysim, is damaged or in use
 */
export async function openFileStorage(path: string, settings: FileStorageSettings): Promise<FileStorage> {
  const named = resolve(path)
  let lock: Lock | undefined
  try {
    const file = resolveTarget(named)
    lock = await lockFile(file)
    return await FileStorage.read(file, lock, settings)
  } catch (error) {
    lock?.release()
    if (error instanceof UserError || !('code' in (error as Error))) throw error
    const message = `${named} can't be used (${systemReason(error)}). Use another file.`
    throw new StorageError(message, { cause: error })
  }
}

/** Resolves a path to a state file. @throws StorageError if it isn't a file */
function resolveTarget(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats && !stats.isFile()) throw unusableFile(path, 'it is not a regular file') // reading a device might never end
  return resolveLinks(path)
}

/** Reads and replaces the state file as a whole. A power failure leaves either the old or the new file. */
class StateFile implements Adapter<FileContent> {
  readonly #path: string

  constructor(file: string) {
    this.#path = file
  }

  async read(): Promise<FileContent | null> {
    return existsSync(this.#path) ? readFileText(this.#path, readFileSync(this.#path, 'utf8')) : null
  }

  async write(content: FileContent): Promise<void> {
    const text = fileText(content) // rendered before the first await, because the content may change later
    const draft = `${this.#path}.tmp`
    const handle = await open(draft, 'w', filePermissions(this.#path))
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, this.#path)
    syncFolder(this.#path)
  }
}

/** The permissions of a file, or the default ones for a new file. */
function filePermissions(file: string): number {
  return existsSync(file) ? statSync(file).mode & 0o777 : 0o666
}

/** Makes the rename of a file durable. */
function syncFolder(file: string): void {
  if (process.platform === 'win32') return // Windows can't sync folders
  const fd = openSync(dirname(file), 'r')
  fsyncSync(fd)
  closeSync(fd)
}

/** A state file and its log, made by `openFileStorage`. Nothing is written before `begin`. */
export class FileStorage {
  /** The state in the file at the start; undefined if there was no file */
  readonly savedState: LocalState | undefined
  readonly #path: string
  readonly #logPath: string
  readonly #lock: Lock
  readonly #db: Low<FileContent>
  readonly #settings: FileStorageSettings
  /** Identity of the file after our last write */
  #inode: number | undefined
  #fd = -1
  /** Offset of the end mark, after the last line of the log */
  #end: number
  /** Size of the log after our last write */
  #size = 0
  /** Size of the log at which the file is rewritten */
  #compactionSize = 0
  #compaction: Promise<void> | undefined

  private constructor(
    file: string,
    lock: Lock,
    db: Low<FileContent>,
    end: number,
    settings: FileStorageSettings,
  ) {
    this.savedState = db.data.state ?? undefined
    this.#path = file
    this.#logPath = `${file}.log`
    this.#lock = lock
    this.#db = db
    this.#end = end
    this.#settings = settings
    this.#inode = statSync(file, { throwIfNoEntry: false })?.ino
  }

  /** Reads a file together with its log. @throws StorageError if one is damaged, or wasn't written by proxysim */
  static async read(file: string, lock: Lock, settings: FileStorageSettings): Promise<FileStorage> {
    const log = `${file}.log`
    // A random first checksum ties a log to its file.
    const position = {
      sequence: 0,
      checksum: randomInt(2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    }
    const db = new Low<FileContent>(new StateFile(file), { position, state: null, hasLog: true })
    await db.read()
    const bytes = existsSync(log) ? readFileSync(log) : undefined
    if (!db.data.state) {
      if (bytes && !hasNoChange(bytes)) throw unusableFile(log, `it is the log of ${file}, which is missing`)
      return new FileStorage(file, lock, db, 0, settings)
    }
    if (db.data.hasLog && !bytes)
      throw unusableFile(file, `its log ${log} is missing, which may contain confirmed changes`)
    if (!bytes) return new FileStorage(file, lock, db, 0, settings)
    const end = readLog(log, bytes, db.data)
    if (end.warning) settings.warn(end.warning)
    return new FileStorage(file, lock, db, end.bytes, settings)
  }

  /** Starts to record changes of a state: the saved one, or its replacement. @throws StorageError */
  async begin(state: LocalState): Promise<void> {
    try {
      // A file that refers to a log must not exist without it.
      if (this.#end > 0) this.#fd = openSync(this.#logPath, 'r+')
      else this.#replaceLog(0)
      this.#size = fstatSync(this.#fd).size
      this.#db.data.state = state
      await this.#compact()
    } catch (error) {
      this.#db.data.state = null // so that `close` writes nothing
      throw new StorageError(`${this.#path} can't be written (${systemReason(error)}). Use another file.`, {
        cause: error,
      })
    }
  }

  /** Writes all changes or none, and then applies them to the state. @throws StorageError */
  write(changes: readonly StateChange[]): void {
    const { data } = this.#db
    const { text, position } = renderLines(changes, data.position)
    const bytes = Buffer.from(text + endMark)
    this.#assertUntouched()
    try {
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#fd, bytes, done, undefined, this.#end + done) // a write may be partial without an error
    } catch (error) {
      this.#dropPartialLine()
      throw new StorageError(
        `The change could not be written to ${this.#logPath} (${systemReason(error)}). Nothing was changed. Check the disk, then try again.`,
        { cause: error },
      )
    }
    this.#size = this.#end + bytes.length
    this.#end = this.#size - endMark.length
    data.position = position
    // Changes are applied only once the log contains them.
    for (const change of changes) data.state?.apply(change)
    if (this.#end > this.#compactionSize) this.#compaction ??= this.#compactInBackground()
  }

  /** Drops the partial line of a failed write. */
  #dropPartialLine(): void {
    ftruncateSync(this.#fd, this.#end)
    try {
      writeSync(this.#fd, endMark, this.#end)
    } catch {
      // The disk is full. If the process is killed before the next change, the next start reports the log as cut off.
    }
    this.#size = fstatSync(this.#fd).size
  }

  /** @throws StorageError if another process took the lock, or changed or removed the files */
  #assertUntouched(): void {
    const { nlink, size } = fstatSync(this.#fd)
    if (nlink === 0 || size !== this.#size || !this.#lock.isHeld())
      throw new StorageError(
        `${this.#logPath} was removed or changed by another program while it was in use, or lost its lock. Changes are refused. Stop the other program, then restart the simulator.`,
      )
  }

  async #compactInBackground(): Promise<void> {
    try {
      await this.#compact()
    } catch (error) {
      this.#compactionSize = 2 * this.#end
      this.#settings.warn(this.#describeFailure(error))
    } finally {
      this.#compaction = undefined
    }
  }

  /** Writes the state to the file, then removes from the log the changes that the file now contains. */
  async #compact(): Promise<void> {
    const contained = this.#end
    const { position } = this.#db.data
    const size = await this.#writeFile(true)
    this.#compactionSize = Math.max(this.#settings.minLogBytes ?? 1024 * 1024, 4 * size) // so rewriting costs at most a quarter of the bytes of the log
    this.#replaceLog(contained, position)
  }

  /** Replaces the log with its lines from an offset on. @param after the position of the line before the offset */
  #replaceLog(offset: number, after = this.#db.data.position): void {
    const lines = this.#fd < 0 ? '' : readFileSync(this.#logPath).subarray(offset, this.#end)
    const bytes = Buffer.concat([Buffer.from(headerText(after)), Buffer.from(lines), Buffer.from(endMark)])
    const draft = `${this.#logPath}.tmp`
    writeFileSync(draft, bytes, { flush: true, mode: filePermissions(this.#logPath) })
    if (this.#fd >= 0) closeSync(this.#fd) // Windows can't rename onto an open file
    try {
      renameSync(draft, this.#logPath)
      syncFolder(this.#logPath)
      this.#size = bytes.length
      this.#end = bytes.length - endMark.length
    } finally {
      this.#fd = openSync(this.#logPath, 'r+')
    }
  }

  /** Replaces the file with the current state, whose changes are all in the log. @returns the size of the file */
  async #writeFile(hasLog: boolean): Promise<number> {
    if (statSync(this.#path, { throwIfNoEntry: false })?.ino !== this.#inode)
      throw new Error('another program replaced it while it was in use')
    this.#db.data.hasLog = hasLog
    await this.#db.write()
    const { ino, size } = statSync(this.#path)
    this.#inode = ino
    this.#assertUntouched()
    return size
  }

  #describeFailure(error: unknown): string {
    if (error instanceof StorageError) return error.message
    return `${this.#path} could not be replaced (${systemReason(error)}). No change is lost: ${this.#logPath} contains them. Check the disk and the permissions.`
  }

  /**
   * Writes the state found in the file to a backup, replacing an older one. `--db` can open the backup.
   * @returns the name of the backup
   * @throws StorageError
   */
  backUp(): string {
    const backup = `${this.#path}.bak`
    try {
      writeFileSync(backup, fileText({ ...this.#db.data, hasLog: false }))
      return backup
    } catch (error) {
      throw new StorageError(
        `The backup ${backup} can't be written (${systemReason(error)}). Nothing was changed. Free disk space, or use another file.`,
        { cause: error },
      )
    }
  }

  /** Writes the whole state to the file, and removes the log. @throws StorageError */
  async close(): Promise<void> {
    try {
      await this.#compaction
      if (this.#fd < 0 || !this.#db.data.state) return
      this.#assertUntouched()
      await this.#writeFile(false)
      rmSync(this.#logPath)
    } catch (error) {
      throw new StorageError(this.#describeFailure(error), { cause: error })
    } finally {
      if (this.#fd >= 0) closeSync(this.#fd)
      this.#lock.release()
    }
  }
}

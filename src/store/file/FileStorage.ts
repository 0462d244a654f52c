import { randomInt } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFile,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { type Adapter, Low } from 'lowdb'
import { resolveLinks, withoutMark } from '../../lib/files.ts'
import { UserError } from '../../lib/UserError.ts'
import { LocalState, type StateChange } from '../LocalState.ts'
import type { State } from '../State.ts'
import { diskAdvice, openAdvice, StorageError, systemReason } from '../StorageError.ts'
import type { StoreHealth } from '../Store.ts'
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
  /**
   * Checks the content of a file that was edited, and completes it. Without it, edited files are refused.
   * @throws UserError if the content isn't a valid state
   */
  acceptEdits?: ((state: unknown) => Promise<State>) | undefined
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
    const problem = `${named} can't be used (${systemReason(error)}).`
    throw new StorageError(problem, { advice: openAdvice(error), cause: error })
  }
}

/** Resolves a path to a state file. @throws StorageError if it isn't a file */
function resolveTarget(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory())
    throw new StorageError(`${path} can't be used: it is a folder, not a regular file.`, {
      advice: `Name a file in it, such as ${join(path, 'db.json')}.`,
    })
  if (stats && !stats.isFile()) throw unusableFile(path, 'it is not a regular file') // reading a device might never end
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder))
    if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() && !existsSync(folder))
      throw new StorageError(
        `${path} can't be used: the folder ${folder} is a link to ${readlinkSync(folder)}, which does not exist.`,
        { advice: 'Create it, or use another file.' },
      )
  return resolveLinks(path)
}

/**
 * The state file. It is replaced by way of a draft, so that a failure or a crash leaves either the old or the new file.
 *
 * A process that was stopped can't know that another one has taken over its lock in the meantime. So each draft is named after
 * the lock, and a process that takes over the lock also removes the draft: the stopped process then has nothing left to rename.
 */
class StateFile implements Adapter<FileContent> {
  readonly #path: string
  readonly #lock: Lock
  /** The file after our last write, or since its content was last compared; undefined if there was none */
  #stats: Stats | undefined
  /** The checksum of its content */
  #checksum = 0

  constructor(path: string, lock: Lock) {
    this.#path = path
    this.#lock = lock
    this.#stats = statIfExists(path)
  }

  /** Whether no other program has edited, replaced or removed the file since our last write. */
  isUntouched(): boolean {
    const [before, now] = [this.#stats, statIfExists(this.#path)]
    if (before?.ino !== now?.ino || before?.size !== now?.size) return false
    if (before?.mtimeMs === now?.mtimeMs) return true
    if (crc32(readFileSync(this.#path)) !== this.#checksum) return false
    this.#stats = now // somebody has only touched it
    return true
  }

  async read(): Promise<FileContent | null> {
    if (!existsSync(this.#path)) return null
    const bytes = readFileSync(this.#path)
    this.#checksum = crc32(bytes)
    return readFileText(this.#path, withoutMark(bytes.toString()))
  }

  async write(content: FileContent): Promise<void> {
    const text = fileText(content) // rendered before the first await, because the content may change later
    const fd = this.#createDraft()
    try {
      await promisify(writeFile)(fd, text)
      await promisify(fsync)(fd)
      if (this.#lock.isHeld() && !this.isUntouched()) throw interferenceError(this.#path)
      this.#rename(this.#path)
      this.#stats = statIfExists(this.#path)
      this.#checksum = crc32(text)
    } finally {
      closeSync(fd)
      this.#removeDraft()
    }
    this.#syncFolder()
  }

  /**
   * Replaces a file beside the state file, and gives it the permissions of the state file.
   * @param replaced called as soon as the file is replaced, with its descriptor, even if the folder can't be synced after that
   */
  replaceOther(path: string, content: string | Buffer, replaced: (fd: number) => void): void {
    const fd = this.#createDraft()
    let isReplaced = false
    try {
      writeFileSync(fd, content)
      fsyncSync(fd)
      this.#rename(path)
      isReplaced = true
    } finally {
      if (!isReplaced) closeSync(fd)
      this.#removeDraft()
    }
    replaced(fd)
    this.#syncFolder()
  }

  /** Creates a file. @returns whether there was none with that name */
  create(path: string, content: string): boolean {
    mkdirSync(dirname(path), { recursive: true })
    try {
      writeFileSync(path, content, { flag: 'wx', flush: true, mode: this.#stats?.mode ?? 0o666 })
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw error
    }
  }

  /** @returns its descriptor */
  #createDraft(): number {
    const { draft } = this.#lock
    const mode = statIfExists(this.#path)?.mode
    const fd = openSync(draft, 'wx+', mode ?? 0o666) // `x`, because following a link could overwrite another file
    if (mode !== undefined) fchmodSync(fd, mode & 0o777) // the umask may have removed some
    return fd
  }

  #rename(path: string): void {
    if (!this.#lock.isHeld()) throw lockLostError(this.#path)
    renameSync(this.#lock.draft, path)
  }

  /** Removes the draft if it wasn't renamed. */
  #removeDraft(): void {
    try {
      rmSync(this.#lock.draft, { force: true })
    } catch {
      // The error that prevented the rename says more.
    }
  }

  /** Makes a rename durable. */
  #syncFolder(): void {
    if (process.platform === 'win32') return // Windows can't sync folders
    const folder = dirname(this.#path)
    try {
      const fd = openSync(folder, 'r')
      try {
        fsyncSync(fd)
      } finally {
        closeSync(fd)
      }
    } catch (error) {
      throw new Error(`the folder ${folder} can't be synced: ${systemReason(error)}`, { cause: error })
    }
  }
}

/** A state file and its log, made by `openFileStorage`. Nothing is written before `begin`. */
export class FileStorage {
  /** The state in the file at the start; undefined if there was no file */
  readonly savedState: LocalState | undefined
  readonly #path: string
  readonly #logPath: string
  readonly #lock: Lock
  readonly #file: StateFile
  readonly #db: Low<FileContent>
  readonly #settings: FileStorageSettings
  /** Descriptor of the log; -1 before `begin` */
  #fd = -1
  /** Offset of the end mark, after the last line of the log */
  #end: number
  /** Size of the log after our last write */
  #size = 0
  /** Inode of the log */
  #inode = 0
  /** Size of the log at which the file is rewritten */
  #compactionSize = 0
  #compaction: Promise<void> | undefined
  /** Why the file couldn't be rewritten the last time */
  #compactionFailure: string | undefined

  private constructor(
    path: string,
    lock: Lock,
    file: StateFile,
    db: Low<FileContent>,
    end: number,
    settings: FileStorageSettings,
  ) {
    this.savedState = db.data.state ?? undefined
    this.#path = path
    this.#logPath = `${path}.log`
    this.#lock = lock
    this.#file = file
    this.#db = db
    this.#end = end
    this.#settings = settings
  }

  /** Reads a file together with its log. @throws StorageError if one is damaged, or wasn't written by proxysim */
  static async read(path: string, lock: Lock, settings: FileStorageSettings): Promise<FileStorage> {
    const log = `${path}.log`
    // A random first checksum ties a log to its file.
    const position = {
      sequence: 0,
      checksum: randomInt(2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    }
    const file = new StateFile(path, lock)
    const db = new Low<FileContent>(file, { position, state: null, hasLog: true })
    await db.read()
    const create = (end: number): FileStorage => new FileStorage(path, lock, file, db, end, settings)
    const bytes = existsSync(log) ? readFileSync(log) : undefined
    if (db.data.edited !== undefined) await acceptEdits(path, db.data, bytes, settings)
    if (!db.data.state) {
      if (bytes && !hasNoChange(bytes)) throw unusableFile(log, `it is the log of ${path}, which is missing`)
      return create(0)
    }
    if (db.data.hasLog && !bytes)
      throw unusableFile(path, `its log ${log} is missing, which may contain confirmed changes`)
    if (!bytes) return create(0)
    const end = readLog(log, bytes, db.data)
    if (end.warning) settings.warn(end.warning)
    return create(end.bytes)
  }

  /** Starts to record changes of a state: the saved one, or its replacement. @throws StorageError */
  async begin(state: LocalState): Promise<void> {
    try {
      // A file that refers to a log must not exist without it.
      if (this.#end === 0) this.#replaceLog(0)
      this.#db.data.state = state
      this.#db.data.hasLog = true
      await this.#compact()
    } catch (error) {
      this.#db.data.state = null // so that `close` writes nothing
      throw new StorageError(`${this.#path} can't be written (${systemReason(error)}).`, {
        advice: openAdvice(error),
        cause: error,
      })
    }
  }

  /** Writes all changes or none, and then applies them to the state. @throws StorageError */
  write(changes: readonly StateChange[]): void {
    const { data } = this.#db
    const { text, position } = renderLines(changes, data.position)
    const bytes = Buffer.from(text + endMark(position))
    this.#assertUntouched()
    try {
      if (this.#size > this.#end + endMark(data.position).length) ftruncateSync(this.#fd, this.#end) // after a failed write
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#fd, bytes, done, undefined, this.#end + done) // a write may be partial without an error
    } catch (error) {
      this.#dropPartialLine()
      throw new StorageError(
        `The change could not be written to ${this.#logPath} (${systemReason(error)}). Nothing was changed.`,
        { advice: `${diskAdvice(error)}, then try again.`, cause: error },
      )
    }
    // If this process was stopped before it wrote, another one may have taken over and read the log without this change.
    if (!this.#lock.isHeld()) throw lockLostError(this.#path)
    this.#size = this.#end + bytes.length
    this.#end += Buffer.byteLength(text)
    data.position = position
    // Changes are applied only once the log contains them.
    for (const change of changes) data.state?.apply(change)
    if (this.#end > this.#compactionSize) this.#compaction ??= this.#compactInBackground()
  }

  /** Drops the partial line of a failed write. If that fails too, the next write does it, or the next start drops the line. */
  #dropPartialLine(): void {
    try {
      ftruncateSync(this.#fd, this.#end)
      writeSync(this.#fd, endMark(this.#db.data.position), this.#end)
    } catch {
      // The disk is full or faulty, which the caller reports.
    }
    this.#size = fstatSync(this.#fd).size
  }

  /** @throws StorageError if another process took the lock, or changed or removed the files */
  #assertUntouched(): void {
    const interference = this.#findInterference()
    if (interference) throw interference
  }

  /** Why changes are refused, if another process took the lock, or changed or removed the files. */
  #findInterference(): StorageError | undefined {
    if (!this.#lock.isHeld()) return lockLostError(this.#path)
    if (!this.#file.isUntouched()) return interferenceError(this.#path)
    return this.#getLogState() === 'untouched' ? undefined : interferenceError(this.#logPath)
  }

  #getLogState(): 'untouched' | 'changed' | 'missing' {
    const stats = statIfExists(this.#logPath)
    if (!stats) return 'missing'
    return stats.ino === this.#inode && stats.size === this.#size ? 'untouched' : 'changed'
  }

  health(): StoreHealth {
    const problem = (this.#findInterference() ?? this.#findWriteProblem())?.message
    const warnings = this.#compactionFailure === undefined ? [] : [this.#compactionFailure]
    return { ...(problem !== undefined && { problem }), warnings }
  }

  /** Tries to write: appends spaces to the log, and removes them. */
  #findWriteProblem(): StorageError | undefined {
    let problem: StorageError | undefined
    try {
      for (let done = 0; done < probe.length; )
        done += writeSync(this.#fd, probe, done, undefined, this.#size + done)
    } catch (error) {
      problem = new StorageError(`${this.#logPath} can't be written (${systemReason(error)}).`, {
        advice: `Changes are refused. ${diskAdvice(error)}.`,
      })
    }
    try {
      ftruncateSync(this.#fd, this.#size)
    } catch {
      this.#size = fstatSync(this.#fd).size // the next write removes them
    }
    return problem
  }

  async #compactInBackground(): Promise<void> {
    try {
      await this.#compact()
      this.#compactionFailure = undefined
    } catch (error) {
      this.#compactionSize = 2 * this.#end
      this.#compactionFailure = this.#describeFailure(error)
      this.#settings.warn(this.#compactionFailure)
    } finally {
      this.#compaction = undefined
    }
  }

  /** Writes the state to the file, then removes from the log the changes that the file now contains. */
  async #compact(): Promise<void> {
    const contained = this.#end
    const { position } = this.#db.data
    await this.#db.write()
    const { size } = statSync(this.#path)
    this.#compactionSize = Math.max(this.#settings.minLogBytes ?? 1024 * 1024, 4 * size) // so rewriting costs at most a quarter of the bytes of the log
    this.#replaceLog(contained, position)
  }

  /** Replaces the log with its lines from an offset on. @param after the position of the line before the offset */
  #replaceLog(offset: number, after = this.#db.data.position): void {
    const isOpen = this.#fd >= 0
    if (isOpen) this.#assertUntouched()
    const lines = isOpen ? readFileSync(this.#logPath).subarray(offset, this.#end) : Buffer.alloc(0)
    const content = Buffer.concat([Buffer.from(headerText(after)), lines])
    const mark = Buffer.from(endMark(this.#db.data.position))
    const isClosed = isOpen && process.platform === 'win32' // which can't rename onto an open file
    if (isClosed) closeSync(this.#fd)
    try {
      this.#file.replaceOther(this.#logPath, Buffer.concat([content, mark]), (fd) => {
        if (isOpen && !isClosed) closeSync(this.#fd)
        this.#fd = fd
        this.#inode = fstatSync(fd).ino
        this.#end = content.length
        this.#size = content.length + mark.length
      })
    } catch (error) {
      if (isClosed && this.#size !== content.length + mark.length) this.#fd = openSync(this.#logPath, 'r+')
      throw error
    }
  }

  #describeFailure(error: unknown): string {
    if (error instanceof StorageError) return error.message
    const interference = this.#findInterference()
    if (interference) return `${interference.problem} The state can't be saved (${systemReason(error)}).`
    return `${this.#path} could not be replaced (${(error as Error).message}). No change is lost: ${this.#logPath} contains them. Check the disk and the permissions.`
  }

  /**
   * Writes the state found in the file to a backup, replacing an older one. `--db` can open the backup.
   * @returns the name of the backup
   * @throws StorageError
   */
  backUp(): string {
    const backup = `${this.#path}.bak`
    try {
      this.#file.replaceOther(backup, fileText({ ...this.#db.data, hasLog: false }), closeSync)
      return backup
    } catch (error) {
      throw new StorageError(
        `The backup ${backup} can't be written (${systemReason(error)}). Nothing was changed.`,
        { advice: `${diskAdvice(error)}, or use another file.`, cause: error },
      )
    }
  }

  /**
   * Writes the whole state to the file, and removes the log. If another program interfered, writes the state beside its file.
   * @throws StorageError
   */
  async close(): Promise<void> {
    try {
      await this.#compaction
      if (this.#fd < 0 || !this.#db.data.state) return
      this.#db.data.hasLog = false
      const isLogUnchanged = this.#getLogState() !== 'changed'
      if (this.#lock.isHeld() && this.#file.isUntouched() && isLogUnchanged) await this.#db.write()
      else this.#saveAside(isLogUnchanged)
      rmSync(this.#logPath, { force: true })
    } catch (error) {
      throw new StorageError(this.#describeFailure(error), { cause: error })
    } finally {
      if (this.#fd >= 0) closeSync(this.#fd)
      this.#lock.release()
    }
  }

  /** Saves the state although another program interfered: in its place if that is free. @throws StorageError if it isn't */
  #saveAside(isLogUnchanged: boolean): void {
    const interference = this.#findInterference() as StorageError
    const isSaved = this.#file.isUntouched() && this.#getLogState() === 'untouched'
    if (isSaved || this.#lock.isTakenOver()) throw interference // nothing that we know is lost
    const text = fileText(this.#db.data)
    if (isLogUnchanged && this.#file.create(this.#path, text)) {
      this.#settings.warn(`${this.#path} was removed while it was in use. The state was saved there again.`)
      return
    }
    let copy = `${this.#path}.saved`
    for (let number = 2; !this.#file.create(copy, text); number++) copy = `${this.#path}.saved-${number}`
    throw new StorageError(
      `${interference.problem} The state was saved to ${copy}, and ${this.#path} was left unchanged.`,
      { advice: 'Start with the saved file, or move it to the place of the other.' },
    )
  }
}

/** Bytes that a health check writes to find a full disk: more than most changes need. */
const probe = Buffer.alloc(4096, ' ')

function statIfExists(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

/** Accepts the edited content of a file. @throws StorageError if that isn't wanted, changes are missing, or the content is invalid */
async function acceptEdits(
  path: string,
  data: FileContent,
  log: Buffer | undefined,
  settings: FileStorageSettings,
): Promise<void> {
  const reason = 'its checksum is wrong, so it is damaged or was edited'
  if (data.hasLog || (log && !hasNoChange(log)))
    throw unusableFile(path, `${reason}, but not after a clean stop: ${path}.log may have later changes`)
  if (!settings.acceptEdits)
    throw unusableFile(
      path,
      reason,
      'If you edited it, start with --accept-edits (acceptEdits); otherwise move it away, or use another file.',
    )
  try {
    data.state = new LocalState(await settings.acceptEdits(data.edited))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    throw unusableFile(path, `it was edited, and is invalid: ${error.problem}`)
  }
  settings.warn(`${path} was edited. The edited state was accepted.`)
}

function interferenceError(file: string): StorageError {
  return new StorageError(`${file} was removed or changed by another program while it was in use.`, {
    advice: 'Changes are refused. Stop the simulator, which saves its state, then start it again.',
  })
}

function lockLostError(file: string): StorageError {
  return new StorageError(
    `${file} lost its lock, which another program removed or took over while the file was in use.`,
    { advice: 'Changes are refused. Stop the other program, then restart the simulator.' },
  )
}

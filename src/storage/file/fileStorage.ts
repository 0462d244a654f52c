import { UserError } from '../../UserError.ts'
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Low } from 'lowdb'
import type { State } from '../../state/State.ts'
import type { Storage, Written } from '../Storage.ts'
import { StateFileError, StorageError, systemReason } from '../../store/StorageError.ts'
import type { World } from '../../world/World.ts'
import type { WorldChange } from '../../world/WorldChange.ts'
import { ChangeLog } from './ChangeLog.ts'
import { longPiece, stateChunks } from '../../jsonChunks.ts'
import { lockFile } from './lockFile.ts'
import { makeFolder } from './makeFolder.ts'
import { logName, logsOf, recover, type Recovered } from './recover.ts'
import { StateFile, type Stored } from './StateFile.ts'

export interface FileStorageOptions {
  /** Wait for the disk, so that changes also survive a power loss */
  fsync: boolean
  /** Receives what was repaired at the start, and what fails in the background */
  warn: (message: string) => void
  /** Compact once the log is larger than this many bytes, and has outgrown the file */
  minLogBytes?: number
}

/** Clears everything: a replaced state is logged as this patch followed by the new state, on one line. */
const clearing = { scenario: null, accounts: null }

/**
 * Stores the state in a JSON file, with a log of merge patches next to it. From time to time the file is rewritten
 * while changes continue: they go to the next log, and since merge patches are idempotent, replaying the logs on the
 * file restores the exact state. A line of the log is a patch, or a list of patches to apply together.
 * @throws StateFileError if the file isn't ours, is damaged or in use
 */
export async function openFileStorage(path: string, options: FileStorageOptions): Promise<FileStorage> {
  const named = resolve(path)
  try {
    await makeFolder(dirname(named), options)
  } catch (error) {
    throw new StateFileError(
      `The folder of ${named} can't be created (${systemReason(error)}). Name another file with --db.`,
      { cause: error },
    )
  }
  const file = realFile(named)
  const unlock = await lockFile(file)
  try {
    return await openLocked(file, options, unlock)
  } catch (error) {
    unlock()
    if (error instanceof UserError || !(error instanceof Error) || !('code' in error)) throw error
    throw unusable(file, error)
  }
}

function unusable(file: string, cause: unknown): StateFileError {
  return new StateFileError(`${file} can't be used (${systemReason(cause)}). Name another file with --db.`, {
    cause,
  })
}

async function openLocked(
  file: string,
  options: FileStorageOptions,
  unlock: () => void,
): Promise<FileStorage> {
  const stateFile = new StateFile(file, options)
  const db = new Low<Stored | null>(stateFile, null)
  await db.read()
  const isCurrent = db.data?.version === 2
  const recovered = recover(file, db.data, options.warn)
  db.data = null
  for (const draft of draftsOf(file)) rmSync(draft, { force: true })
  const log = recovered.log
    ? ChangeLog.open(recovered.log.file, recovered.log, options)
    : await ChangeLog.create(
        logName(file, recovered.next),
        { generation: recovered.next, after: null },
        options,
      )
  try {
    if (!recovered.log && isCurrent) stateFile.name(log.id)
  } catch (error) {
    log.close()
    rmSync(log.file, { force: true })
    throw error
  }
  return new FileStorage({ file, stateFile, db, log, recovered, isCurrent, unlock }, options)
}

interface OpenFile {
  file: string
  stateFile: StateFile
  /** Writes the state file; holds no data in between */
  db: Low<Stored | null>
  log: ChangeLog
  recovered: Recovered
  /** Whether the file exists, in the current format */
  isCurrent: boolean
  unlock: () => void
}

/** Made by `openFileStorage`. */
export class FileStorage implements Storage {
  readonly found: State | undefined
  readonly #file: string
  readonly #stateFile: StateFile
  readonly #db: Low<Stored | null>
  readonly #log: ChangeLog
  readonly #unlock: () => void
  readonly #options: FileStorageOptions
  readonly #minLogBytes: number
  #current: State | undefined
  /** Whether the file has everything except the current log */
  #isUpToDate: boolean
  /** Number of rolled-back changes: a state written meanwhile may contain them */
  #takenBack = 0
  /** Log size in bytes at which to compact; 0 creates a new file soon after the start */
  #due: number
  #compaction: Promise<void> | undefined
  /** The last pending write, and what follows it */
  #awaited: { writing?: Promise<void>; done?: Promise<void> } = {}

  constructor(
    { file, stateFile, db, log, recovered, isCurrent, unlock }: OpenFile,
    options: FileStorageOptions,
  ) {
    this.#file = file
    this.#stateFile = stateFile
    this.#db = db
    this.#log = log
    this.#unlock = unlock
    this.#options = options
    this.#minLogBytes = options.minLogBytes ?? 1024 * 1024
    this.found = this.#current = recovered.state
    this.#isUpToDate = recovered.isWhole
    this.#due = isCurrent ? this.#dueAfterFile() : 0
  }

  logChange(login: string, change: WorldChange, version: number, undo: () => void): void {
    this.#append(changeLine(login, change, version), undo)
  }

  logWorld(login: string, world: World | null, undo: () => void, written?: Written): void {
    this.#append(written ?? JSON.stringify({ accounts: { [login]: world } }), undo)
  }

  replace(next: State, undo: () => void, written?: Written): void {
    const before = this.#current
    this.#current = next
    this.#append(written ?? JSON.stringify([clearing, next]), () => {
      this.#current = before
      undo()
    })
  }

  async write(patches: State | readonly object[]): Promise<Written> {
    return inPieces('scenario' in patches ? [clearing, patches] : patches)
  }

  /**
   * Saves the state found at the start to a backup file, replacing an older one; `--db` can open it.
   * @returns the name of that file
   * @throws StorageError
   */
  async backUp(): Promise<string> {
    const name = `${this.#file}.bak`
    if (!this.found) throw new StorageError(`There is nothing in ${this.#file} to back up.`)
    const backup = new StateFile(name, this.#options)
    backup.takeOver()
    await backup.write({ version: 2, generation: 0, log: null, state: this.found })
    return name
  }

  flushed(): Promise<void> | undefined {
    // Changes that are written together share one promise.
    const { writing } = this.#log
    if (!writing) this.#compactIfDue()
    else if (writing !== this.#awaited.writing)
      this.#awaited = { writing, done: writing.finally(() => this.#compactIfDue()) }
    return writing && this.#awaited.done
  }

  warning(): string | undefined {
    return this.#log.warning
  }

  async close(): Promise<void> {
    try {
      await this.#log.settled()
      await this.#compaction
      await this.#finish()
    } catch (error) {
      const failure = this.#failureMessage(error)
      throw new StorageError(this.#log.mayBeRenewed ? `The state was not saved: ${failure}` : failure)
    } finally {
      this.#log.close()
      this.#unlock()
    }
  }

  #append(line: string | Written, undo: () => void): void {
    this.#log.append(line, () => {
      this.#takenBack++
      undo()
    })
  }

  #compactIfDue(): void {
    const log = this.#log
    const isRenewal = log.mayBeRenewed
    if (this.#compaction || (log.length < this.#due && !isRenewal)) return
    this.#compaction = (isRenewal ? this.#renew() : this.#compact())
      .catch((error: unknown) => {
        this.#due = log.length + Math.max(this.#minLogBytes, this.#due) // don't retry before there is much more to gain
        const failure = this.#failureMessage(error)
        if (isRenewal) log.notRenewed(failure)
        this.#options.warn(failure)
      })
      .then(() => {
        this.#compaction = undefined
        // The log may have outgrown the file again. A renewal that failed waits for the next refused change.
        if (!isRenewal || !log.mayBeRenewed) this.#compactIfDue()
        return this.#compaction
      })
  }

  /** Rewrites the file while changes continue in the next log. */
  async #compact(): Promise<void> {
    if (!this.#current) return
    const log = this.#log
    this.#isUpToDate = false
    const assertOldIsOurs = await log.turn(logName(this.#file, log.generation + 1))
    const before = this.#takenBack
    this.#stateFile.assertCurrent = async () => {
      await log.writing?.catch(() => {})
      if (this.#takenBack !== before) throw new StorageError('a change in it was rolled back')
      assertOldIsOurs()
      log.assertOurs()
    }
    await this.#writeFile(log.generation, log.id, this.#current)
  }

  /** Writes everything from scratch, because the log can't be trusted any more. Blocks changes meanwhile. */
  async #renew(): Promise<void> {
    const log = this.#log
    while (log.writing) await log.settled()
    if (!this.#current) return
    const state = structuredClone(this.#current) // at this point it contains nothing that could be rolled back
    log.assertOurs()
    const generation = log.generation + 1
    const header = { generation, after: null }
    const next = await ChangeLog.create(logName(this.#file, generation), header, this.#options)
    try {
      this.#stateFile.assertCurrent = async () => {}
      await this.#writeFile(generation, next.id, state)
    } catch (error) {
      next.close()
      rmSync(next.file, { force: true })
      throw error
    }
    log.adopt(next)
  }

  /** Writes the final state, and leaves no log. */
  async #finish(): Promise<void> {
    const log = this.#log
    log.assertOurs()
    this.#stateFile.assertCurrent = async () => log.assertOurs()
    if (this.#current && !(this.#isUpToDate && log.length === 0 && existsSync(this.#file)))
      await this.#writeFile(log.generation + 1, null, this.#current)
    else if (existsSync(this.#file)) this.#stateFile.name(null)
    this.#removeLogs(Infinity)
  }

  async #writeFile(generation: number, log: string | null, state: State): Promise<void> {
    this.#db.data = { version: 2, generation, log, state }
    try {
      await this.#db.write()
    } finally {
      this.#db.data = null
    }
    this.#isUpToDate = true
    this.#due = this.#dueAfterFile()
    this.#removeLogs(generation)
  }

  /** Compact when the log is twice as long as the file: that adds half a byte of writes per byte logged. */
  #dueAfterFile(): number {
    return Math.max(this.#minLogBytes, 2 * sizeOf(this.#file))
  }

  /** Logs that stay behind do no harm: their changes are in the file. */
  #removeLogs(before: number): void {
    for (const { file, generation } of logsOf(this.#file)) if (generation < before) remove(file)
  }

  #failureMessage(error: unknown): string {
    const what = error instanceof StorageError ? error.message : systemReason(error)
    const message = what.startsWith(this.#file) ? what : `${this.#file} could not be replaced (${what}).`
    const { isStopped, file } = this.#log
    return isStopped ? message : `${message} No change is lost: the changes are in ${file}.`
  }
}

/** The JSON of `{ accounts: { [login]: { version, ...change } } }`, in half the time: nothing is copied. */
function changeLine(login: string, change: WorldChange, version: number): string {
  const fields = JSON.stringify(change).slice(1)
  return `{"accounts":{${JSON.stringify(login)}:{"version":${version}${fields === '}' ? '' : ','}${fields}}}`
}

/** The JSON of a list, yielding between chunks. */
async function inPieces(list: readonly object[]): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  for (const [i, item] of list.entries()) {
    pieces.push(Buffer.from(i === 0 ? '[' : ','))
    for (const piece of stateChunks(item)) {
      pieces.push(Buffer.from(piece))
      if (piece.length >= longPiece) await nextTurn()
    }
  }
  return [...pieces, Buffer.from(']')]
}

/** Resolves symbolic links: two names of a file must not count as two files. */
function realFile(named: string): string {
  let file = named
  try {
    // As long as the link leads to nothing: the last one may not exist yet. A loop of links throws.
    while (!statSync(file, { throwIfNoEntry: false })) {
      file = join(realpathSync(dirname(file)), basename(file))
      if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file
      file = resolve(dirname(file), readlinkSync(file))
    }
    return realpathSync(file)
  } catch (error) {
    throw unusable(named, error)
  }
}

/** Bytes; 0 if there is no file. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** Incomplete files left by killed processes. */
function draftsOf(file: string): string[] {
  const start = `${basename(file)}.`
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(start) && /^[\da-f-]+\.tmp$/.test(name.slice(start.length)))
    .map((name) => join(dirname(file), name))
}

/** Removes a file that does no harm if it stays. */
function remove(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // The folder became read-only; the next start removes it.
  }
}

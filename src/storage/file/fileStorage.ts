import { UserError } from '../../UserError.ts'
import { existsSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Low } from 'lowdb'
import type { State } from '../../state/State.ts'
import type { Storage, Written } from '../Storage.ts'
import { StateFileError, StorageError, systemReason } from '../StorageError.ts'
import type { WorldChange } from '../../world/WorldChange.ts'
import { ChangeLog } from './ChangeLog.ts'
import { longPiece, stateChunks } from './jsonChunks.ts'
import { lockFile } from './lockFile.ts'
import { makeFolder } from './makeFolder.ts'
import { logName, logsOf, recover } from './recover.ts'
import { StateFile, type Stored } from './StateFile.ts'

export interface FileStorageOptions {
  /** Wait for the disk, so that changes also survive a power loss */
  fsync: boolean
  /** Receives what was repaired at the start, and what fails in the background */
  warn: (message: string) => void
  /** Compact once the log is larger than this many bytes, and has outgrown the file */
  minLogBytes?: number
}

export interface FileStorage extends Storage {
  /**
   * Saves the state found at the start to a backup file, replacing an older one; `--db` can open it.
   * @returns the name of that file
   * @throws StorageError
   */
  backUp: () => Promise<string>
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
  let file = resolve(path)
  try {
    await makeFolder(dirname(file), options)
    file = realFile(file)
  } catch (error) {
    throw new StateFileError(
      `The folder of ${file} can't be created (${systemReason(error)}). Name another file with --db.`,
      { cause: error },
    )
  }
  const unlock = await lockFile(file)
  try {
    return await openLocked(file, options, unlock)
  } catch (error) {
    unlock()
    if (error instanceof UserError || !(error instanceof Error) || !('code' in error)) throw error
    throw new StateFileError(`${file} can't be used (${systemReason(error)}). Name another file with --db.`, {
      cause: error,
    })
  }
}

async function openLocked(
  file: string,
  options: FileStorageOptions,
  unlock: () => void,
): Promise<FileStorage> {
  const { minLogBytes = 1024 * 1024 } = options
  const stateFile = new StateFile(file, options)
  const db = new Low<Stored | null>(stateFile, null)
  await db.read()
  const isOld = db.data?.version === 1
  const recovered = recover(file, db.data, options.warn)
  const isNew = !db.data
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
    if (!recovered.log && !isNew && !isOld) stateFile.name(log.id)
  } catch (error) {
    log.close()
    rmSync(log.file, { force: true })
    throw error
  }

  let current = recovered.state
  /** Whether the file has everything except the current log */
  let isUpToDate = recovered.isWhole
  /** Number of rolled-back changes: a state written meanwhile may contain them */
  let takenBack = 0
  /** Compact when the log is twice as long as the file: that adds half a byte of writes per byte logged. */
  const dueAfter = (bytes: number): number => Math.max(minLogBytes, 2 * bytes)
  /** Log size in bytes at which to compact; 0 creates a new file soon after the start */
  let due = isNew || isOld ? 0 : dueAfter(sizeOf(file))
  let compaction: Promise<void> | undefined
  /** The last pending write, and what follows it */
  let awaited: { writing?: Promise<void>; done?: Promise<void> } = {}

  const compactIfDue = (): void => {
    const isRenewal = log.mayBeRenewed
    if (compaction || (log.length < due && !isRenewal)) return
    compaction = (isRenewal ? renew() : compact())
      .catch((error: unknown) => {
        due = log.length + Math.max(minLogBytes, due) // don't retry before there is much more to gain
        const failure = failureMessage(error)
        if (isRenewal) log.notRenewed(failure)
        options.warn(failure)
      })
      .then(() => {
        compaction = undefined
        // The log may have outgrown the file again. A renewal that failed waits for the next refused change.
        if (!isRenewal || !log.mayBeRenewed) compactIfDue()
        return compaction
      })
  }

  /** Rewrites the file while changes continue in the next log. */
  async function compact(): Promise<void> {
    if (!current) return
    isUpToDate = false
    const assertOldIsOurs = await log.turn(logName(file, log.generation + 1))
    const before = takenBack
    stateFile.assertCurrent = async () => {
      await log.writing?.catch(() => {})
      if (takenBack !== before) throw new StorageError('a change in it was rolled back')
      assertOldIsOurs()
      log.assertOurs()
    }
    await write(log.generation, log.id, current)
  }

  /** Writes everything from scratch, because the log can't be trusted any more. Blocks changes meanwhile. */
  async function renew(): Promise<void> {
    while (log.writing) await log.settled()
    if (!current) return
    const state = structuredClone(current) // at this point it contains nothing that could be rolled back
    log.assertOurs()
    const generation = log.generation + 1
    const next = await ChangeLog.create(logName(file, generation), { generation, after: null }, options)
    try {
      stateFile.assertCurrent = async () => {}
      await write(generation, next.id, state)
    } catch (error) {
      next.close()
      rmSync(next.file, { force: true })
      throw error
    }
    log.adopt(next)
  }

  /** Writes the final state, and leaves no log. */
  async function finish(): Promise<void> {
    log.assertOurs()
    stateFile.assertCurrent = async () => log.assertOurs()
    if (current && !(isUpToDate && log.length === 0 && existsSync(file)))
      await write(log.generation + 1, null, current)
    else if (existsSync(file)) stateFile.name(null)
    removeLogs(Infinity)
  }

  async function write(generation: number, name: string | null, state: State): Promise<void> {
    db.data = { version: 2, generation, log: name, state }
    try {
      await db.write()
    } finally {
      db.data = null
    }
    isUpToDate = true
    due = dueAfter(sizeOf(file))
    removeLogs(generation)
  }

  /** Logs that stay behind do no harm: their changes are in the file. */
  function removeLogs(before: number): void {
    for (const { file: name, generation } of logsOf(file)) if (generation < before) remove(name)
  }

  function append(line: string | Written, undo: () => void): void {
    log.append(line, () => {
      takenBack++
      undo()
    })
  }

  function failureMessage(error: unknown): string {
    const what = error instanceof StorageError ? error.message : systemReason(error)
    const message = what.startsWith(file) ? what : `${file} could not be replaced (${what}).`
    return log.isStopped ? message : `${message} No change is lost: the changes are in ${log.file}.`
  }

  return {
    found: recovered.state,
    logChange(login, change, version, undo) {
      append(changeLine(login, change, version), undo)
    },
    logWorld(login, world, undo, written) {
      append(written ?? JSON.stringify({ accounts: { [login]: world } }), undo)
    },
    replace(next, undo, written) {
      const before = current
      current = next
      append(written ?? JSON.stringify([clearing, next]), () => {
        current = before
        undo()
      })
    },
    async write(patches) {
      return inPieces('scenario' in patches ? [clearing, patches] : patches)
    },
    async backUp() {
      const name = `${file}.bak`
      if (!recovered.state) throw new StorageError(`There is nothing in ${file} to back up.`)
      const backup = new StateFile(name, options)
      backup.takeOver()
      await backup.write({ version: 2, generation: 0, log: null, state: recovered.state })
      return name
    },
    flushed() {
      // Changes that are written together share one promise.
      const { writing } = log
      if (!writing) compactIfDue()
      else if (writing !== awaited.writing) awaited = { writing, done: writing.finally(compactIfDue) }
      return writing && awaited.done
    },
    warning: () => log.warning,
    async close() {
      try {
        await log.settled()
        await compaction
        await finish()
      } catch (error) {
        const failure = failureMessage(error)
        throw new StorageError(log.mayBeRenewed ? `The state was not saved: ${failure}` : failure)
      } finally {
        log.close()
        unlock()
      }
    },
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
function realFile(file: string): string {
  return existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file))
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

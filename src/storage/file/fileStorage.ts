import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync, truncateSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Low } from 'lowdb'
import { isObject, mergePatch } from '../../world/mergePatch.ts'
import type { State } from '../../state/State.ts'
import type { Storage } from '../Storage.ts'
import { ChangeLog } from './ChangeLog.ts'
import { lockFile } from './lockFile.ts'
import { isState, notOurs, stored, StateFile, type Stored } from './StateFile.ts'
import { StateFileError, systemReason } from '../StorageError.ts'

export interface FileStorageOptions {
  /** Wait for the disk itself, so that a change outlives a loss of power too. */
  fsync: boolean
  /** Told once at the start what was found wrong and mended. */
  warn: (message: string) => void
  /** The file is replaced when the log has outgrown it, and this many bytes. */
  minLogBytes?: number
}

/** What takes the place of everything before is two patches that go together, one that clears and one that sets. */
const clearing = { scenario: null, accounts: null }

/**
 * The state in a JSON file, and beside it a log of the merge patches made since. The file is replaced now and then,
 * from the state as it is while others go on changing it: as the changes made meanwhile are in the next log, and a
 * merge patch sets what it names whatever was there, reading the file and then the logs gives the state exactly.
 * A line of the log is a patch, or a list of patches that go together.
 * @throws StateFileError where the file is not ours, broken or in use
 */
export async function openFileStorage(path: string, options: FileStorageOptions): Promise<Storage> {
  const { minLogBytes = 1024 * 1024 } = options
  let file = resolve(path)
  try {
    mkdirSync(dirname(file), { recursive: true })
    file = realFile(file)
  } catch (error) {
    throw new StateFileError(
      `The folder of ${file} can't be made (${systemReason(error)}). Name another file with --db.`,
    )
  }
  const unlock = lockFile(file)
  try {
    /** Changes that were taken back: what was read of the state before may hold them. */
    let takenBack = 0
    let mayBeReplaced = async (): Promise<boolean> => true
    const adapter = new StateFile(file, { ...options, mayBeReplaced: () => mayBeReplaced() })
    const db = new Low<Stored | null>(adapter, null)
    await db.read()
    let generation = db.data?.generation ?? 0
    const logs = logsOf(file).filter((log) => log.generation >= generation)
    if (!db.data && logs.length && !logs.some((log) => log.generation === 0))
      throw new StateFileError(
        `${file} is missing, but its log ${logs[0]?.file} is there. Put the file back, move the log away, or name another file with --db.`,
      )
    let state: State | undefined = db.data?.state
    const lastWritten = logs.findLast((log) => statSync(log.file).size > 0)
    for (const log of logs) state = replay(state, await readLog(log.file, log === lastWritten, options.warn))
    if (state && !isState(state)) throw notOurs(file, 'what its log made of it is no state')
    for (const old of logsOf(file)) if (old.generation < generation) rmSync(old.file, { force: true })
    for (const draft of draftsOf(file)) rmSync(draft, { force: true })
    generation = logs.at(-1)?.generation ?? generation

    let current: State | undefined = state
    let log = new ChangeLog(logName(file, generation), options)
    /** The log has outgrown the file when it is twice as long: then each byte of it is written half a time more. */
    const dueAfter = (bytes: number): number => Math.max(minLogBytes, 2 * bytes)
    /** Bytes of log at which the file is replaced. */
    let due = db.data ? dueAfter(sizeOf(file)) : 0 // a new file is there soon after the start
    let compaction: Promise<void> | undefined

    const compactIfDue = (): void => {
      if (compaction || log.length < due) return
      compaction = compact()
        .catch((error: Error) => {
          due = log.length + Math.max(minLogBytes, due) // no second attempt before there is much more to gain
          options.warn(`${error.message} Changes go on into ${log.file}.`)
        })
        .finally(() => {
          compaction = undefined
        })
    }

    async function compact(): Promise<void> {
      if (!current) return
      // What is still to be written may fail and be taken back: nothing that builds on it may be in the next log.
      while (log.isWaiting) await log.settled()
      const next = new ChangeLog(logName(file, generation + 1), options)
      const old = log
      log = next
      generation++
      await old.settled() // the disk may still be confirming
      old.close()
      const before = takenBack
      mayBeReplaced = async () => {
        await log.flushed().catch(() => {})
        return takenBack === before
      }
      db.data = stored(generation, current)
      try {
        await db.write()
      } finally {
        db.data = null
      }
      due = dueAfter(sizeOf(file))
      for (const { file: name, generation: number } of logsOf(file))
        if (number < generation) rmSync(name, { force: true })
    }

    return {
      found: state,
      append(patch, undo) {
        log.append(JSON.stringify(patch), () => {
          takenBack++
          undo()
        })
      },
      replace(next, undo) {
        const before = current
        current = next
        log.append(JSON.stringify([clearing, next]), () => {
          takenBack++
          current = before
          undo()
        })
      },
      async flushed() {
        await log.flushed()
        compactIfDue()
      },
      async close() {
        try {
          await log.settled()
          await compaction
          if (log.length > 0) await compact()
        } finally {
          log.close()
          if (log.length === 0 && existsSync(file)) rmSync(log.file, { force: true })
          unlock()
        }
      },
    }
  } catch (error) {
    unlock()
    if (!(error instanceof Error) || !('code' in error)) throw error
    throw new StateFileError(`${file} can't be used (${systemReason(error)}). Name another file with --db.`)
  }
}

/** The file itself, where the name is a link: two names of one file must not be taken for two. */
function realFile(file: string): string {
  return existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file))
}

/** Bytes; 0 where there is no file. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** What a process that was killed left half-written. */
function draftsOf(file: string): string[] {
  const start = `${basename(file)}.`
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(start) && /^\d+\.tmp$/.test(name.slice(start.length)))
    .map((name) => join(dirname(file), name))
}

function logName(file: string, generation: number): string {
  return `${file}.${generation}.log`
}

function logsOf(file: string): { file: string; generation: number }[] {
  const start = `${basename(file)}.`
  return readdirSync(dirname(file))
    .flatMap((name) => {
      const [, number] = (name.startsWith(start) && /^(\d+)\.log$/.exec(name.slice(start.length))) || []
      return number === undefined ? [] : [{ file: `${file}.${number}.log`, generation: Number(number) }]
    })
    .toSorted((a, b) => a.generation - b.generation)
}

/**
 * The patches of a log. A last line that is torn is cut off and told of; nothing else is ever dropped.
 * @param isLast whether no line comes after those of this log
 */
async function readLog(file: string, isLast: boolean, warn: (message: string) => void): Promise<unknown[]> {
  const text = await readFile(file, 'utf8')
  const lines = text.split('\n')
  const rest = lines.pop() as string
  const patches: unknown[] = []
  let whole = 0
  for (const [i, line] of lines.entries()) {
    const patch = parse(line)
    if (patch === undefined) {
      if (isLast && i === lines.length - 1 && rest === '') return torn(line)
      throw brokenLine(i)
    }
    patches.push(...(Array.isArray(patch) ? (patch as unknown[]) : [patch]))
    whole += Buffer.byteLength(line) + 1
  }
  if (rest === '') return patches
  if (!isLast) throw brokenLine(lines.length)
  return torn(rest)

  function brokenLine(i: number): StateFileError {
    return new StateFileError(
      `${file}:${i + 1} is broken, and lines come after it. It was left as it is. Mend the line, move the file away, or name another with --db.`,
    )
  }

  function torn(line: string): unknown[] {
    if (patches.length === 0 && !/^[[{]/.test(line))
      throw notOurs(file, 'it does not begin like a change log')
    warn(
      `The last line of ${file} was torn (${Buffer.byteLength(line)} bytes); it was never answered, and is dropped.`,
    )
    truncateSync(file, whole)
    return patches
  }
}

function parse(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) || (Array.isArray(value) && value.every(isObject)) ? value : undefined
  } catch {
    return undefined
  }
}

function replay(state: State | undefined, patches: readonly unknown[]): State | undefined {
  return patches.reduce((value, patch) => mergePatch(value ?? {}, patch), state as unknown) as
    | State
    | undefined
}

import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, statSync, writeSync } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Adapter } from 'lowdb'
import { isObject } from '../../world/mergePatch.ts'
import type { State } from '../../state/State.ts'
import { StateFileError, StorageError, systemReason } from '../../store/StorageError.ts'
import { checksum, digits } from './checksum.ts'
import { stateChunks } from '../../jsonChunks.ts'
import { syncFolder } from './syncFolder.ts'

const format = 'proxysim-state'

/** The file's content: the state when the log of that generation was started, or later. */
export interface Stored {
  /** 1 had no checksums; still read, but no longer written */
  version: 1 | 2
  /** Later changes are in the logs from this generation on */
  generation: number
  /** Id of that generation's log; null: there is none, as the file was closed. Unknown in version 1 */
  log: string | null
  state: State
}

/**
 * The end of the file. The log's id comes after the checksum with a fixed width, so that it can be changed in place.
 */
const ending = /,"checksum":"([0-9a-f]{8})","log":("[0-9a-f]{8}"|null *)\}\n?$/
/** Longer than any ending */
const endingLength = 64

function logField(log: string | null): string {
  return (log === null ? 'null' : `"${log}"`).padEnd(10)
}

/** The adapter for lowdb: reads the whole file, and replaces it atomically. */
export class StateFile implements Adapter<Stored | null> {
  readonly #file: string
  readonly #fsync: boolean
  /**
   * Called before the file is replaced. @throws if what was written is no longer valid, or must not replace the file
   */
  assertCurrent = async (): Promise<void> => {}
  /** As we left it; undefined: there was none */
  #left: { ino: number; size: number } | undefined
  /** Position of the log's id */
  #logAt = 0

  constructor(file: string, { fsync }: { fsync: boolean }) {
    this.#file = file
    this.#fsync = fsync
  }

  /** @throws StateFileError if the file is not ours, or damaged */
  async read(): Promise<Stored | null> {
    let bytes: Buffer
    try {
      const found = statSync(this.#file, { throwIfNoEntry: false })
      if (!found) return null
      // Reading a device might never end.
      if (!found.isFile() && !found.isDirectory()) throw new Error('it is not a regular file')
      bytes = await readFile(this.#file)
    } catch (error) {
      throw new StateFileError(
        `${this.#file} can't be read (${systemReason(error)}). Name another file with --db.`,
        { cause: error },
      )
    }
    this.#left = this.#look()
    let value: unknown
    try {
      value = JSON.parse(decode(bytes))
    } catch {
      throw notOurs(this.#file, 'it is not complete JSON')
    }
    if (!isObject(value) || value['format'] !== format)
      throw notOurs(this.#file, 'it was not written by proxysim')
    const { version, generation, state } = value
    const log = value['log'] ?? null
    if (version !== 1 && version !== 2)
      throw notOurs(
        this.#file,
        `it has format version ${String(version)}, and this proxysim reads versions 1 and 2`,
      )
    if (version === 2) this.#check(bytes)
    else if ('checksum' in value) throw damaged(this.#file)
    if (!Number.isInteger(generation) || !isState(state)) throw notOurs(this.#file, 'parts of it are missing')
    return { version, generation: generation as number, log: log as string | null, state }
  }

  /** @throws StateFileError if any byte has changed */
  #check(bytes: Buffer): void {
    const start = Math.max(0, bytes.length - endingLength)
    const found = ending.exec(bytes.toString('latin1', start))
    if (!found || digits(checksum(bytes.subarray(0, start + found.index))) !== found[1])
      throw damaged(this.#file)
    this.#logAt = start + found.index + found[0].lastIndexOf(':') + 1
  }

  /** Replaces the file, yielding between chunks. @throws StorageError */
  async write(data: Stored | null): Promise<void> {
    if (!data) return
    const draft = `${this.#file}.${randomUUID()}.tmp`
    try {
      const logAt = await this.#draft(draft, data)
      await this.assertCurrent()
      this.#assertOurs()
      await rename(draft, this.#file)
      this.#logAt = logAt
      this.#left = this.#look()
      // Regardless of --fsync, since the logs it supersedes are deleted next.
      await syncFolder(dirname(this.#file))
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {})
      throw new StorageError(`${this.#file} could not be replaced (${systemReason(error)}).`, {
        cause: error,
      })
    }
  }

  async #draft(draft: string, { generation, log, state }: Stored): Promise<number> {
    const handle = await open(draft, 'wx')
    try {
      let sum = 0
      let length = 0
      const put = async (text: string): Promise<void> => {
        const bytes = Buffer.from(text)
        sum = checksum(bytes, sum)
        length += bytes.length
        await handle.writeFile(bytes) // writes everything: `write` can stop halfway on a full disk without an error
      }
      await put(`{"format":"${format}","version":2,"generation":${generation},"state":`)
      for (const chunk of stateChunks(state)) {
        await put(chunk)
        await nextTurn()
      }
      await put(`,"checksum":"${digits(sum)}","log":`)
      const logAt = length
      await put(`${logField(log)}}\n`)
      await handle.sync()
      return logAt
    } finally {
      await handle.close()
    }
  }

  /**
   * Records in place which log belongs to the file (null: none), so that a missing log is noticed.
   * @throws if that can't be written
   */
  name(log: string | null): void {
    this.#assertOurs()
    const fd = openSync(this.#file, 'r+')
    try {
      writeSync(fd, `${logField(log)}}\n`, this.#logAt)
      if (this.#fsync) fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    this.#left = this.#look()
  }

  /** Allows replacing whatever is there now. */
  takeOver(): void {
    this.#left = this.#look()
  }

  #look(): { ino: number; size: number } | undefined {
    return statSync(this.#file, { throwIfNoEntry: false })
  }

  #assertOurs(): void {
    const now = this.#look()
    if (now && (now.ino !== this.#left?.ino || now.size !== this.#left.size))
      throw new StorageError('another program replaced it while it was in use')
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8. @throws if it is invalid: a damaged byte must not become a replacement character */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** Whether a value has the outline of a state. Its contents are ours, so they aren't validated again. */
export function isState(value: unknown): value is State {
  return isObject(value) && isObject(value['scenario']) && isObject(value['accounts'])
}

export function notOurs(file: string, why: string): StateFileError {
  return new StateFileError(
    `${file} can't be used: ${why}. It was left unchanged. Name another file with --db, or move this one away.`,
  )
}

function damaged(file: string): StateFileError {
  return notOurs(file, 'its checksum is wrong, so it is damaged or was edited')
}

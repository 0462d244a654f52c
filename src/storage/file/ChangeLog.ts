import { closeSync, fdatasync, ftruncateSync, fstatSync, openSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { whenIdle } from '../../batch.ts'
import { StorageError, systemReason } from '../StorageError.ts'

const synced = promisify(fdatasync)

/**
 * A file of JSON merge patches, one a line, that only grows. What is appended at the same time goes to
 * the disk in one write; a write that fails leaves the file as long as it was.
 */
export class ChangeLog {
  readonly file: string
  /** Bytes that are whole */
  length: number
  #fd: number
  readonly #fsync: boolean
  #waiting: { text: string; undo: () => void }[] = []
  /** The write that is to come, and the one under way */
  #flush: Promise<void> | undefined
  #writing: Promise<void> | undefined

  constructor(file: string, { fsync }: { fsync: boolean }) {
    this.file = file
    this.#fsync = fsync
    this.#fd = open(file)
    this.length = fstatSync(this.#fd).size
  }

  /**
   * Takes a line in; it is on disk when `flushed` resolves.
   * @param undo takes the change back where it can't be written
   */
  append(line: string, undo: () => void): void {
    this.#waiting.push({ text: `${line}\n`, undo })
    this.#flush ??= new Promise((resolve, reject) => {
      whenIdle(
        () => {
          this.#flush = undefined
          this.#writing = this.#write()
          this.#writing.then(resolve, reject)
        },
        () => this.#waiting.length,
      )
    })
    this.#flush.catch(() => {}) // whoever waits for it is told; nobody has to wait
  }

  /** Resolves when everything that was taken in is on disk. @throws StorageError, and then none of it is */
  async flushed(): Promise<void> {
    await this.#flush
  }

  /** Whether something was taken in that is still to be written, and may be taken back */
  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** Resolves when nothing is left to be written, however the writing went. */
  async settled(): Promise<void> {
    while (this.#waiting.length > 0) await this.flushed().catch(() => {})
    await this.#writing?.catch(() => {})
  }

  close(): void {
    closeSync(this.#fd)
  }

  async #write(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    const bytes = Buffer.from(batch.map(({ text }) => text).join(''))
    try {
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#fd, bytes, done, undefined, this.length + done)
      this.length += bytes.length
    } catch (error) {
      for (const { undo } of batch.toReversed()) undo()
      this.#cutBack()
      throw new StorageError(
        `The change could not be written to ${this.file} (${systemReason(error)}); nothing was changed.`,
        { cause: error },
      )
    }
    if (this.#fsync) await this.#sync()
  }

  async #sync(): Promise<void> {
    try {
      await synced(this.#fd)
    } catch (error) {
      throw new StorageError(
        `The change was written to ${this.file}, but the disk does not confirm it (${systemReason(error)}).`,
        { cause: error },
      )
    }
  }

  /** Half a line may have got through. Where it can't be cut off now, the next write overwrites it. */
  #cutBack(): void {
    try {
      ftruncateSync(this.#fd, this.length)
    } catch {
      // writes name their position, so what is left over does no harm
    }
  }
}

function open(file: string): number {
  try {
    // not in append mode: there a write's position would be ignored
    return openSync(file, 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return openSync(file, 'wx+')
  }
}

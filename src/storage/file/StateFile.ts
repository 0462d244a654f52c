import { open, readFile, rename, rm } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import type { Adapter } from 'lowdb'
import { isObject } from '../../world/mergePatch.ts'
import type { State } from '../../state/State.ts'
import { jsonChunks } from './jsonChunks.ts'
import { StateFileError, StorageError, systemReason } from '../StorageError.ts'

const format = 'proxysim-state'

/** What the file holds: the state as it was when the log of that generation was begun, or later. */
export interface Stored {
  format: typeof format
  version: 1
  /** Changes since are in the logs of this generation and of those after it. */
  generation: number
  state: State
}

export function stored(generation: number, state: State): Stored {
  return { format, version: 1, generation, state }
}

/** lowdb's seam to the disk: the file is read whole, and replaced atomically. */
export class StateFile implements Adapter<Stored | null> {
  readonly #file: string
  readonly #fsync: boolean
  readonly #mayBeReplaced: () => Promise<boolean>

  /** @param mayBeReplaced asked at the end of writing: whether what was written still holds */
  constructor(
    file: string,
    { fsync, mayBeReplaced }: { fsync: boolean; mayBeReplaced: () => Promise<boolean> },
  ) {
    this.#file = file
    this.#fsync = fsync
    this.#mayBeReplaced = mayBeReplaced
  }

  /** @throws StateFileError where the file is not ours or broken */
  async read(): Promise<Stored | null> {
    let text: string
    try {
      text = await readFile(this.#file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw new StateFileError(
        `${this.#file} can't be read (${systemReason(error)}). Name another file with --db.`,
        { cause: error },
      )
    }
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      throw notOurs(this.#file, 'it is not whole JSON')
    }
    if (!isObject(value) || value['format'] !== format)
      throw notOurs(this.#file, 'it is not a state of this program')
    if (value['version'] !== 1)
      throw notOurs(this.#file, `it has version ${String(value['version'])}, this program reads version 1`)
    if (!Number.isInteger(value['generation']) || !isState(value['state']))
      throw notOurs(this.#file, 'parts of it are missing')
    return value as unknown as Stored
  }

  /** Replaces the file, with the event loop's other work going on between the pieces. @throws StorageError */
  async write(data: Stored | null): Promise<void> {
    const draft = `${this.#file}.${process.pid}.tmp`
    try {
      const handle = await open(draft, 'w')
      try {
        // format, version, generation, state → accounts → login → kind → record
        for (const chunk of jsonChunks(data, 5)) {
          await handle.writeFile(chunk) // all of it: `write` may stop half-way on a full disk, and not say so
          await turn()
        }
        if (this.#fsync) await handle.sync()
      } finally {
        await handle.close()
      }
      if (!(await this.#mayBeReplaced())) throw new Error('a change in it was taken back')
      await rename(draft, this.#file)
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {})
      throw new StorageError(`${this.#file} could not be replaced (${systemReason(error)}).`, {
        cause: error,
      })
    }
  }
}

/** Whether a value has the outline of a state; what is in it is ours, and is not looked at again. */
export function isState(value: unknown): value is State {
  return isObject(value) && isObject(value['scenario']) && isObject(value['accounts'])
}

export function notOurs(file: string, why: string): StateFileError {
  return new StateFileError(
    `${file} can't be used: ${why}. It was left as it is. Name another file with --db, or move this one away.`,
  )
}

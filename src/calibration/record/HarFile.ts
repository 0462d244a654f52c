import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { UserError } from '../../lib/UserError.ts'
import { version } from '../../lib/files.ts'
import { recorderName } from '../readHar.ts'

/** What comes before and after the entries. */
const comment = 'Passwords, user names, addresses and anything that is not in the contract are placeholders.'
const harFrame = {
  head: `{"log":{"version":"1.2","creator":${JSON.stringify({ name: recorderName, version, comment })},"entries":[`,
  tail: '\n]}}\n',
}

/**
 * A HAR file that is complete after each entry: one write replaces the closing brackets by the entry and new brackets,
 * so a kill loses at most the exchange in progress.
 */
export class HarFile {
  readonly #fd: number
  #end: number
  #isEmpty = true

  /** @throws UserError if the file can't be written or isn't empty */
  constructor(file: string) {
    try {
      this.#fd = openSync(file, constants.O_RDWR | constants.O_CREAT)
    } catch (error) {
      throw new UserError(`${file} can't be written (${(error as NodeJS.ErrnoException).code}).`)
    }
    if (fstatSync(this.#fd).size > 0) {
      closeSync(this.#fd)
      throw new UserError(`${file} already exists; choose another file with --output, or move it away.`)
    }
    this.#end = 0
    try {
      this.#append(harFrame.head)
    } catch (error) {
      closeSync(this.#fd)
      throw new UserError(`${file} can't be written (${(error as NodeJS.ErrnoException).code}).`)
    }
  }

  /** @throws if it can't be written, as on a full disk; the archive stays as it was */
  add(entry: object): void {
    try {
      this.#append(`${this.#isEmpty ? '' : ','}\n${JSON.stringify(entry)}`)
    } catch (error) {
      // The brackets first: their place is allocated already.
      this.#write(harFrame.tail, this.#end)
      ftruncateSync(this.#fd, this.#end + Buffer.byteLength(harFrame.tail))
      throw error
    }
    this.#isEmpty = false
  }

  /** Replaces the closing brackets. */
  #append(text: string): void {
    this.#write(text + harFrame.tail, this.#end)
    this.#end += Buffer.byteLength(text)
  }

  #write(text: string, at: number): void {
    const bytes = Buffer.from(text)
    let written = 0
    while (written < bytes.length)
      written += writeSync(this.#fd, bytes, written, bytes.length - written, at + written)
  }

  close(): void {
    closeSync(this.#fd)
  }
}

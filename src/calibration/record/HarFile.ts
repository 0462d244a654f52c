import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { UserError } from '../../lib/UserError.ts'
import { version } from '../../lib/files.ts'
import { recorderName } from '../readHar.ts'

const comment = 'Passwords, user names, addresses and anything that is not in the contract are placeholders.'
const creator = JSON.stringify({ name: recorderName, version, comment })
const head = `{"log":{"version":"1.2","creator":${creator},"entries":[`
const tail = '\n]}}\n'

/**
 * A HAR file that is complete after each entry: one write replaces the closing brackets by the entry and new brackets,
 * so a kill loses at most the exchange in progress.
 */
export class HarFile {
  readonly #fd: number
  #end = 0

  /** @throws UserError if the file can't be written or isn't empty */
  constructor(file: string) {
    let fd: number | undefined
    try {
      this.#fd = fd = openSync(file, constants.O_RDWR | constants.O_CREAT)
      if (fstatSync(fd).size > 0)
        throw new UserError(`${file} already exists; choose another file with --output, or move it away.`)
      this.#append(head)
    } catch (error) {
      if (fd !== undefined) closeSync(fd)
      if (error instanceof UserError) throw error
      throw new UserError(`${file} can't be written (${(error as NodeJS.ErrnoException).code}).`)
    }
  }

  /** @throws if it can't be written, as on a full disk; the archive stays as it was */
  add(entry: object): void {
    try {
      this.#append(`${this.#end === Buffer.byteLength(head) ? '' : ','}\n${JSON.stringify(entry)}`)
    } catch (error) {
      // The brackets first: their place is allocated already.
      this.#write(tail)
      ftruncateSync(this.#fd, this.#end + Buffer.byteLength(tail))
      throw error
    }
  }

  /** Replaces the closing brackets. */
  #append(text: string): void {
    this.#write(text + tail)
    this.#end += Buffer.byteLength(text)
  }

  #write(text: string): void {
    const bytes = Buffer.from(text)
    let written = 0
    while (written < bytes.length)
      written += writeSync(this.#fd, bytes, written, bytes.length - written, this.#end + written)
  }

  close(): void {
    closeSync(this.#fd)
  }
}

import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs'
import { UserError } from '../../UserError.ts'
import { harFrame } from '../harFrame.ts'

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
    this.#end = Buffer.byteLength(harFrame.head)
    writeSync(this.#fd, harFrame.head + harFrame.tail, 0)
  }

  add(entry: object): void {
    const text = Buffer.from(`${this.#isEmpty ? '' : ','}\n${JSON.stringify(entry)}`)
    const bytes = Buffer.concat([text, Buffer.from(harFrame.tail)])
    let written = 0
    while (written < bytes.length)
      written += writeSync(this.#fd, bytes, written, bytes.length - written, this.#end + written)
    this.#end += text.length
    this.#isEmpty = false
  }

  close(): void {
    closeSync(this.#fd)
  }
}

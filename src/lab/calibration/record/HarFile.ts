import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { UserError } from '../../../lib/UserError.ts'
import { resolveLinks, version } from '../../../lib/files.ts'
import { harPage } from '../../../lib/harEntry.ts'
import { realTime } from '../../simulator.ts'
import { recorderName } from '../readHar.ts'

const comment = 'Passwords, user names, addresses and anything that is not in the contract are placeholders.'
const creator = JSON.stringify({ name: recorderName, version, comment })
const tail = '\n]}}\n'

/**
 * A HAR file that is valid after each entry: one write replaces the closing brackets with the entry and new brackets,
 * so a kill loses at most the exchange in progress.
 */
export class HarFile {
  readonly #fd: number
  /** Offset of the closing brackets in bytes */
  #end = 0
  #separator = ''

  /** @throws UserError if the file can't be written or already exists */
  constructor(file: string) {
    let created: string | undefined
    try {
      const path = resolveLinks(file)
      this.#fd = openSync(path, 'wx')
      created = path
      const pages = JSON.stringify([harPage(new Date(realTime()).toISOString())])
      this.#append(`{"log":{"version":"1.2","creator":${creator},"pages":${pages},"entries":[`)
    } catch (error) {
      if (created !== undefined) rmSync(created, { force: true }) // otherwise the next attempt would find it
      const { code } = error as NodeJS.ErrnoException
      throw code === 'EEXIST'
        ? new UserError(`${file} already exists.`, {
            advice: 'Choose another file with --output, or move it away.',
          })
        : new UserError(`${file} can't be written (${code}).`, {
            advice: 'Choose another file with --output.',
          })
    }
  }

  /** @throws if writing fails, for example on a full disk; the archive is then unchanged */
  add(entry: object): void {
    try {
      this.#append(`${this.#separator}\n${JSON.stringify(entry)}`)
      this.#separator = ','
    } catch (error) {
      // The brackets are written before truncating, because their space is already allocated.
      this.#write(tail)
      ftruncateSync(this.#fd, this.#end + Buffer.byteLength(tail))
      throw error
    }
  }

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

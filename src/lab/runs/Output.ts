import { stripVTControlCharacters } from 'node:util'

/** Maximum number of characters to keep of a command's output */
const maxLength = 1024 * 1024

/** Control characters except tab and newlines */
const controlCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/** Keeps the end of a command's output. */
export class Output {
  readonly #chunks: string[] = []
  #length = 0

  add(chunk: string): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    while (this.#length - (this.#chunks[0]?.length ?? 0) >= maxLength)
      this.#length -= this.#chunks.shift()?.length ?? 0
  }

  /** The text without terminal control characters, because it also goes into reports. */
  get text(): string {
    return stripVTControlCharacters(this.#chunks.join('').slice(-maxLength)).replaceAll(controlCharacters, '')
  }
}

/** Maximum number of lines of a command's output to show */
const maxLines = 15

/** The last lines of a command's output. */
export function excerpt(printed: string): string[] {
  return printed.trim() === ''
    ? []
    : printed
        .trimEnd()
        .split(/\r\n|[\r\n]/)
        .slice(-maxLines)
}

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

/** Maximum number of lines to show of the first failure */
const maxFailureLines = 10

/**
 * The message of a failed assertion or an error, as printed by vitest, node test, pytest, PHPUnit, go test, or for an uncaught
 * error.
 */
const message =
  /^\s*(?:E {3,}\S|Failed asserting|error: |\S+_test\.go:\d+: |(?:(?:PHP )?Fatal error: +)?(?:Uncaught )?[\w.\\]*(?:Error|Exception|panic)\b[^:]*: )/

/** The name of a failed test */
const heading = /^\s*(?:✖ |FAIL\s|not ok \d|--- FAIL|_{3,} .* _{3,}$|\d+\) \S+)/

/** Maximum number of lines between the name of a failed test and its message */
const maxBetween = 6

/** The lines that explain a command's failure: the first failed assertion or error, and the last lines. */
export function excerpt(printed: string): string[] {
  if (printed.trim() === '') return []
  const lines = printed.trimEnd().split(/\r\n|[\r\n]/)
  const last = lines.slice(-maxLines)
  const at = lines.findIndex((line) => message.test(line))
  if (at < 0 || at >= lines.length - maxLines + 1) return last
  const before = lines.slice(Math.max(at - maxBetween, 0), at)
  const named = before.findLastIndex((line) => heading.test(line))
  const start = named < 0 ? at : at - before.length + named
  const failure = lines.slice(start, start + maxFailureLines)
  const end = lines.slice(Math.max(start + maxFailureLines, lines.length - (maxLines - maxFailureLines - 1)))
  return start + maxFailureLines >= lines.length - end.length
    ? [...failure, ...end]
    : [...failure, '…', ...end]
}

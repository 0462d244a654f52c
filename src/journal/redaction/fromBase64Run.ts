import { isUtf8 } from 'node:buffer'

/** Words look like base64 too: what was encoded has small and capital letters in turns, or digits. */
const word = /^(?:[A-Z]?[a-z]+|[A-Z]+|\d+)$/

/** The text that a run of base64 stands for, padded or not, in either alphabet; undefined: it is none. */
export function fromBase64Run(run: string): string | undefined {
  if (run.length < 8 || word.test(run)) return undefined
  const bytes = Buffer.from(run, 'base64')
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString().replaceAll('\0', '') // UTF-16 has one in each letter
  return text.length < 3 || unreadable.test(text) ? undefined : text
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: bytes that happen to be base64 have some
const unreadable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

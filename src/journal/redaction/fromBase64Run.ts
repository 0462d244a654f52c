import { isUtf8 } from 'node:buffer'

/** Plain words are valid base64 too: encoded text mixes upper and lower case, or has digits. */
const word = /^(?:[A-Z]?[a-z]+|[A-Z]+|\d+)$/

/** Decodes a run of base64 in either alphabet, padded or not; undefined if it isn't base64 of readable text. */
export function fromBase64Run(run: string): string | undefined {
  if (run.length < 8 || word.test(run)) return undefined
  const bytes = Buffer.from(run, 'base64')
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString().replaceAll('\0', '') // UTF-16 has a NUL in each letter
  return text.length < 3 || unreadable.test(text) ? undefined : text
}

// Bytes that happen to be base64 have some
const unreadable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

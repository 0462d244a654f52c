import { isUtf8 } from 'node:buffer'
import { decodeCoding, parseCodings } from '../../lib/contentCoding.ts'
import { UserError } from '../../lib/UserError.ts'

/** Maximum size of a recorded body in bytes, also after decompression, because a small compressed body may be huge. */
export const maxBody = 32 * 1024 * 1024
/** Maximum size of all decoded bodies of recordings in bytes */
const maxDecoded = 256 * 1024 * 1024

export class BodyTooLongError extends Error {}

/** Decodes a body to text; undefined if that fails, or the text is too long. @param encoding the Content-Encoding header */
export function decodeBody(bytes: Buffer, encoding = ''): string | undefined {
  try {
    return decodeBounded(bytes, encoding)
  } catch {
    return undefined
  }
}

/** Like `decodeBody`. @throws BodyTooLongError */
export function decodeBounded(bytes: Buffer, encoding = ''): string | undefined {
  let plain = bytes
  try {
    for (const coding of parseCodings(encoding)) plain = decodeCoding(plain, coding, maxBody)
  } catch (error) {
    if (Object(error).code === 'ERR_BUFFER_TOO_LARGE') throw new BodyTooLongError()
    // Some recorders store the decoded body.
  }
  if (plain.length > maxBody) throw new BodyTooLongError()
  return encoding === '' || isUtf8(plain) ? plain.toString('utf8') : undefined
}

/** Returns `decodeBounded` with a bound on the sum of all bodies, because all of them stay in memory. @param limit bytes @throws UserError beyond it */
export function createBodyDecoder(limit = maxDecoded): typeof decodeBounded {
  let left = limit
  return (bytes, encoding) => {
    const text = decodeBounded(bytes, encoding)
    left -= text?.length ?? 0
    if (left < 0)
      throw new UserError(
        `The recorded bodies are more than ${limit / 1024 / 1024} MB after decompression, the limit for all files together.`,
        { advice: 'Pass fewer recordings, or remove the calls with long bodies.' },
      )
    return text
  }
}

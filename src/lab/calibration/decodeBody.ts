import { isUtf8 } from 'node:buffer'
import { decodeCoding, parseCodings } from '../../lib/contentCoding.ts'
import { UserError } from '../../lib/UserError.ts'

/** Maximum size of a recorded body in bytes, also after decompression, because a small compressed body may be huge. */
export const maxBody = 32 * 1024 * 1024
/** Maximum size of all decoded bodies of recordings in bytes */
const maxDecoded = 256 * 1024 * 1024

/** Decodes a body to text; undefined if that fails, or the text is too long. @param encoding the Content-Encoding header */
export function decodeBody(bytes: Buffer, encoding = ''): string | undefined {
  let plain = bytes
  try {
    for (const coding of parseCodings(encoding)) plain = decodeCoding(plain, coding, maxBody)
  } catch {
    // Some recorders store the decoded body.
  }
  const isUsable = plain.length <= maxBody && (encoding === '' || isUtf8(plain))
  return isUsable ? plain.toString('utf8') : undefined
}

/** Returns `decodeBody` with a bound on the sum of all bodies, because all of them stay in memory. @param limit bytes @throws UserError beyond it */
export function createBodyDecoder(limit = maxDecoded): typeof decodeBody {
  let left = limit
  return (bytes, encoding) => {
    const text = decodeBody(bytes, encoding)
    left -= text?.length ?? 0
    if (left < 0)
      throw new UserError(
        `The recorded bodies are more than ${limit / 1024 / 1024} MB after decompression, the limit for all files together.`,
        { advice: 'Pass fewer recordings, or remove the calls with long bodies.' },
      )
    return text
  }
}

import { isUtf8 } from 'node:buffer'
import { decodeCoding, parseCodings } from '../../lib/contentCoding.ts'

/** Maximum size of a recorded body in bytes, also after decompression, because a small compressed body may be huge. */
export const maxBody = 32 * 1024 * 1024

/** Decodes a body to text; undefined if that fails, or the text is too long. @param encoding the Content-Encoding header */
export function decodeBody(bytes: Buffer, encoding = ''): string | undefined {
  let plain = bytes
  try {
    for (const coding of parseCodings(encoding)) plain = decodeCoding(plain, coding, maxBody)
  } catch (error) {
    if (Object(error).code === 'ERR_BUFFER_TOO_LARGE') return undefined
    // Some recorders store the decoded body.
  }
  if (plain.length > maxBody || (encoding !== '' && !isUtf8(plain))) return undefined
  return plain.toString('utf8')
}

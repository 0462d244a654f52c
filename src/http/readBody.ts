import type { IncomingMessage } from 'node:http'
import { decodeCoding, decoders, parseCodings } from '../lib/contentCoding.ts'
import type { WireBody } from './Wire.ts'

/** Maximum number of content codings of a request, each of which can unpack to the full limit. */
const maxCodings = 3

/** Whether the body can be read without waiting. A small one usually arrives with the headers. */
export function hasArrived(req: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': transfer, 'content-encoding': coding } = req.headers
  if (length === undefined && transfer === undefined) return true
  // Node sets `complete` only after it has called this for the last request on the connection, so compare the length, too.
  return coding === undefined && (req.complete || req.readableLength === Number(length))
}

/**
 * Reads the body. Doesn't settle if the body never arrives; such a request isn't executed.
 * @param limit in bytes, before and after decoding
 */
export function readBody(req: IncomingMessage, limit: number): WireBody | Promise<WireBody> {
  if (hasArrived(req) && req.readableLength <= limit)
    return { bytes: (req.read() as Buffer | null) ?? undefined }
  return new Promise((resolve) => {
    let chunks: Buffer[] = []
    let size = 0
    req.on('error', () => {}) // the body never arrives
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else chunks = []
    })
    req.once('end', () => {
      if (size > limit) resolve(tooLarge(limit))
      else resolve(decodeBody(Buffer.concat(chunks), req.headers['content-encoding'], limit))
    })
  })
}

/** Decodes the content codings. */
function decodeBody(bytes: Buffer, header: string | undefined, limit: number): WireBody {
  const codings = parseCodings(header)
  const unknown = codings.findLast((coding) => !Object.hasOwn(decoders, coding))
  if (unknown !== undefined)
    return { problem: `the Content-Encoding ${unknown} is not one of gzip, deflate, br, identity` }
  if (codings.length > maxCodings) return { problem: `the body has more than ${maxCodings} content codings` }
  let content = bytes
  for (const coding of codings)
    try {
      content = decodeCoding(content, coding, limit)
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      if (isTooLarge) return tooLarge(limit)
      return { problem: `the body is not valid ${coding} (Content-Encoding): ${(error as Error).message}` }
    }
  return { bytes: content }
}

function tooLarge(limit: number): WireBody {
  return { problem: `the body is larger than ${limit} bytes` }
}

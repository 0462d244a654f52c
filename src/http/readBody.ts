import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { WireBody } from './Wire.ts'

/** Maximum number of content codings of a request, each of which can unpack to the full limit. */
const maxCodings = 3

type Decode = (bytes: Buffer, options: zlib.ZlibOptions) => Promise<Buffer>

const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip)
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate)
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw)

/** RFC 9110 §8.4.1. Some clients send `deflate` without the zlib header, whose first four bits are always 8. */
const decoders: Partial<Record<string, Decode>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: (bytes, options) => (((bytes[0] ?? 8) & 15) === 8 ? inflate : inflateRaw)(bytes, options),
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
}

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

/** Decodes the content codings, the last one first. */
async function decodeBody(bytes: Buffer, header = '', limit: number): Promise<WireBody> {
  const codings = header
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  const unknown = codings.find((coding) => !decoders[coding])
  if (unknown !== undefined)
    return { problem: `the Content-Encoding ${unknown} is not one of gzip, deflate, br, identity` }
  if (codings.length > maxCodings) return { problem: `the body has more than ${maxCodings} content codings` }
  let content = bytes
  for (const coding of codings.toReversed())
    try {
      content = await (decoders[coding] as Decode)(content, { maxOutputLength: limit })
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

import { isUtf8 } from 'node:buffer'
import { UserError } from '../../lib/UserError.ts'
import zlib, { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'

/** Maximum size of a recorded body in bytes, also after decompression, because a small compressed body may be huge. */
export const maxBody = 32 * 1024 * 1024
const zlibOptions = { maxOutputLength: maxBody }

/** Maximum size of all decoded bodies of recordings in bytes */
const maxDecoded = 256 * 1024 * 1024

type Decompress = typeof gunzipSync

/** Available since Node 22.15 */
const { zstdDecompressSync } = zlib as unknown as { zstdDecompressSync?: Decompress }

/** Some servers (IIS) send deflate without the zlib header. */
const inflate: Decompress = (bytes, options) => {
  try {
    return inflateSync(bytes, options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'Z_DATA_ERROR') throw error
    return inflateRawSync(bytes, options)
  }
}

const decoders: Readonly<Record<string, Decompress | undefined>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflate,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

/**
 * Decodes a body to text; undefined if that fails, or the text is too long.
 * @param encoding Content-Encoding: codings in the order in which they were applied, in any case
 */
export function decodeBody(bytes: Buffer, encoding = ''): string | undefined {
  const codings = encoding
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
  let plain = bytes
  try {
    for (const coding of codings.toReversed()) plain = decoders[coding]?.(plain, zlibOptions) ?? plain
  } catch {
    // Some recorders store the decoded body.
  }
  const isUsable = plain.length <= zlibOptions.maxOutputLength && (encoding === '' || isUtf8(plain))
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
        `The recorded bodies are more than ${limit / 1024 / 1024} MB after decompression, the limit for all files together. Pass fewer recordings, or remove the calls with long bodies.`,
      )
    return text
  }
}

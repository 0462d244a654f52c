import { isUtf8 } from 'node:buffer'
import zlib, { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** Longer bodies are not kept, also once they are decompressed: a short one may be any length. */
const limit = { maxOutputLength: 32 * 1024 * 1024 }

type Decompress = typeof gunzipSync

/** `zstdDecompressSync` is there from Node 22.15 on. */
const { zstdDecompressSync } = zlib as unknown as { zstdDecompressSync?: Decompress }

const decoders: Readonly<Record<string, Decompress | undefined>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

/** The text of a body, with its Content-Encoding undone; undefined if that fails, or it is too long. */
export function textOf(bytes: Buffer, encoding = ''): string | undefined {
  let plain = bytes
  try {
    plain = decoders[encoding]?.(bytes, limit) ?? bytes
  } catch {
    // Some recorders have decoded it already.
  }
  const isKept = plain.length <= limit.maxOutputLength && (encoding === '' || isUtf8(plain))
  return isKept ? plain.toString('utf8') : undefined
}

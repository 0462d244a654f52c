import * as zlib from 'node:zlib'

type Decode = (bytes: Buffer, options: zlib.ZlibOptions) => Buffer

/** Available since Node 22.15 */
const { zstdDecompressSync } = zlib as unknown as { zstdDecompressSync?: Decode }

/** RFC 9110 §8.4.1. Some programs send `deflate` without the zlib header, whose first four bits are always 8. */
const decoders: Partial<Record<string, Decode>> = {
  gzip: zlib.gunzipSync,
  'x-gzip': zlib.gunzipSync,
  deflate: (bytes, options) =>
    (((bytes[0] ?? 8) & 15) === 8 ? zlib.inflateSync : zlib.inflateRawSync)(bytes, options),
  br: zlib.brotliDecompressSync,
  ...(zstdDecompressSync && { zstd: zstdDecompressSync }),
}

/** The codings of a Content-Encoding header, in the order in which they are decoded. */
export function parseCodings(header = ''): string[] {
  const codings = header.toLowerCase().split(/[\s,]+/)
  return codings.filter((coding) => coding !== '' && coding !== 'identity').toReversed()
}

/**
 * Decodes one coding; an unknown one changes nothing. Doesn't wait, because the limit keeps it short.
 * @param limit maximum number of bytes of the result, because a small body may decode to a huge one
 * @throws an error of zlib; its code is `ERR_BUFFER_TOO_LARGE` beyond the limit
 */
export function decodeCoding(bytes: Buffer, coding: string, limit: number): Buffer {
  return decoders[coding]?.(bytes, { maxOutputLength: limit }) ?? bytes
}

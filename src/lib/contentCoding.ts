import zlib from 'node:zlib'

type Decode = (bytes: Buffer, options: zlib.ZlibOptions) => Buffer

/** RFC 9110 §8.4.1 */
export const decoders: Partial<Record<string, Decode>> = {
  gzip: zlib.gunzipSync,
  'x-gzip': zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
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

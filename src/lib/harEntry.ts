import type { Entry, Header } from 'har-format'
import { STATUS_CODES } from 'node:http'

/** A request and its response, for an HTTP archive. */
export interface HarExchange {
  /** ISO 8601 */
  startedDateTime: string
  durationMs: number
  request: {
    method: string
    url: string
    headers: Header[]
    /** undefined if it wasn't kept */
    body: string | undefined
    /** Bytes received, if the body was altered; -1 if unknown */
    bodySize?: number
  }
  response: {
    /** 0 if there was no response */
    status: number
    headers: Header[]
    /** undefined if it wasn't kept */
    body: string | undefined
  }
  /** What HAR has no field for */
  custom: Record<`_${string}`, unknown>
}

/** An entry of an HTTP archive (HAR 1.2). */
export function harEntry({ startedDateTime, durationMs, request, response, custom }: HarExchange): Entry {
  const { body } = response
  const size = sizeOf(body)
  return {
    startedDateTime,
    time: durationMs,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: request.headers,
      queryString: queryOf(request.url),
      headersSize: -1,
      bodySize: request.bodySize ?? sizeOf(request.body),
      ...(request.body && {
        postData: { mimeType: header(request.headers, 'content-type') ?? '', text: request.body },
      }),
    },
    response: {
      status: response.status,
      statusText: STATUS_CODES[response.status] ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: response.headers,
      content: {
        size,
        mimeType: header(response.headers, 'content-type') ?? 'x-unknown',
        ...(body === undefined
          ? { comment: 'not kept: too large, or in an unknown encoding' }
          : { text: body }),
      },
      redirectURL: header(response.headers, 'location') ?? '',
      headersSize: -1,
      bodySize: size,
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    ...custom,
  }
}

/** -1: unknown */
function sizeOf(body: string | undefined): number {
  return body === undefined ? -1 : Buffer.byteLength(body)
}

function header(headers: readonly Header[], wanted: string): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === wanted)?.value
}

function queryOf(url: string): Entry['request']['queryString'] {
  const mark = url.indexOf('?')
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1))
  return [...query].map(([name, value]) => ({ name, value }))
}

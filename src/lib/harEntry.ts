import type { Entry, Header, Page } from 'har-format'
import { STATUS_CODES } from 'node:http'
import { URLSearchParams } from 'node:url'

interface Message {
  headers: Header[]
  /** Undefined if it wasn't recorded */
  body: string | undefined
}

/** A request and its response, for an HTTP archive. */
export interface HarExchange {
  /** ISO 8601 */
  startedDateTime: string
  /** Milliseconds */
  time: number
  /** `bodySize`: bytes received, if the body was altered */
  request: Message & { method: string; url: string; bodySize?: number }
  /** `status` is 0 if there was no response */
  response: Message & { status: number }
  /** Fields that HAR doesn't define */
  custom: Record<`_${string}`, unknown>
}

const pageId = 'page_1'

/** The page that all entries belong to. Firefox and Safari open no archive without one. @param startedDateTime ISO 8601 */
export function harPage(startedDateTime: string): Page {
  const pageTimings = { onContentLoad: -1, onLoad: -1 }
  return { startedDateTime, id: pageId, title: 'Calls to the API', pageTimings }
}

/** An entry of an HTTP archive (HAR 1.2). */
export function harEntry({ startedDateTime, time, request, response, custom }: HarExchange): Entry {
  const { url, bodySize = byteLength(request.body) } = request
  const size = byteLength(response.body)
  return {
    pageref: pageId,
    startedDateTime,
    time,
    request: {
      ...commonFields(request.headers),
      method: request.method,
      url,
      queryString: [...new URLSearchParams(/\?.*/.exec(url)?.[0])].map(([name, value]) => ({ name, value })),
      bodySize,
      ...(request.body && {
        postData: { mimeType: header(request.headers, 'content-type') ?? '', text: request.body },
      }),
    },
    response: {
      ...commonFields(response.headers),
      status: response.status,
      statusText: STATUS_CODES[response.status] ?? '',
      content: {
        size,
        mimeType: header(response.headers, 'content-type') ?? 'x-unknown',
        ...(response.body === undefined
          ? { comment: 'not recorded: too large, or in an unknown encoding' }
          : { text: response.body }),
      },
      redirectURL: header(response.headers, 'location') ?? '',
      bodySize: size,
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    ...custom,
  }
}

function commonFields(headers: Header[]) {
  return { httpVersion: 'HTTP/1.1', cookies: [], headers, headersSize: -1 }
}

/** Size in bytes; -1 if unknown */
function byteLength(body: string | undefined): number {
  return body === undefined ? -1 : Buffer.byteLength(body)
}

function header(headers: readonly Header[], headerName: string): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === headerName)?.value
}

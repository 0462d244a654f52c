import { STATUS_CODES } from 'node:http'
import { version } from '../version.ts'
import { recorderName, type RecordedCredentials } from './readHar.ts'

/** The content of a HAR entry, already redacted. */
export interface SafeExchange {
  /** Milliseconds since 1970 */
  started: number
  durationMs: number
  method: string
  url: string
  requestHeaders: { name: string; value: string }[]
  requestBody: string | undefined
  credentials: RecordedCredentials
  /** 0 if there was no response */
  status: number
  responseHeaders: { name: string; value: string }[]
  /** undefined if it was too large to keep */
  responseBody: string | undefined
  /** Why there was no response */
  error?: string
}

/** What comes before and after the entries of an archive. */
export const harFrame = {
  head: `{"log":{"version":"1.2","creator":${JSON.stringify({ name: recorderName, version, comment: 'Passwords, user names, addresses and anything that is not in the contract are stand-ins.' })},"entries":[`,
  tail: '\n]}}\n',
}

/** A HAR 1.2 entry. */
export function harEntry(one: SafeExchange): object {
  const type = (headers: SafeExchange['requestHeaders']): string | undefined =>
    headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value
  const requestBody = one.requestBody ?? ''
  const responseBody = one.responseBody
  return {
    startedDateTime: new Date(one.started).toISOString(),
    time: one.durationMs,
    request: {
      method: one.method,
      url: one.url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: one.requestHeaders,
      queryString: [],
      headersSize: -1,
      bodySize: Buffer.byteLength(requestBody),
      ...(requestBody !== '' && {
        postData: { mimeType: type(one.requestHeaders) ?? '', text: requestBody },
      }),
    },
    response: {
      status: one.status,
      statusText: STATUS_CODES[one.status] ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: one.responseHeaders,
      content: {
        size: responseBody === undefined ? -1 : Buffer.byteLength(responseBody),
        mimeType: type(one.responseHeaders) ?? 'x-unknown',
        ...(responseBody === undefined
          ? { comment: 'not kept: too large, or in an unknown encoding' }
          : { text: responseBody }),
      },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: one.durationMs, receive: 0 },
    _credentials: one.credentials,
    ...(one.error !== undefined && { _error: one.error }),
  }
}

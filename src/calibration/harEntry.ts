import { STATUS_CODES } from 'node:http'
import { version } from '../version.ts'
import { recorderName, type RecordedCredentials } from './readHar.ts'

/** What goes into an entry of an HTTP archive; all of it may be shown. */
export interface SafeExchange {
  /** Milliseconds since 1970 */
  started: number
  durationMs: number
  method: string
  url: string
  requestHeaders: { name: string; value: string }[]
  requestBody: string | undefined
  credentials: RecordedCredentials
  /** 0: there was no answer */
  status: number
  responseHeaders: { name: string; value: string }[]
  /** undefined: too large to be kept */
  responseBody: string | undefined
  /** Why there was no answer */
  error?: string
}

/** An archive without entries, in the two pieces between which they stand. */
export const harFrame = {
  head: `{"log":{"version":"1.2","creator":${JSON.stringify({ name: recorderName, version, comment: 'Passwords, user names, addresses and what the contract does not know are stand-ins.' })},"entries":[`,
  tail: '\n]}}\n',
}

/** An entry of HAR 1.2. */
export function harEntry(one: SafeExchange): object {
  const type = (headers: SafeExchange['requestHeaders']): string | undefined =>
    headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value
  const asked = one.requestBody ?? ''
  const sent = one.responseBody
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
      bodySize: Buffer.byteLength(asked),
      ...(asked !== '' && { postData: { mimeType: type(one.requestHeaders) ?? '', text: asked } }),
    },
    response: {
      status: one.status,
      statusText: STATUS_CODES[one.status] ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: one.responseHeaders,
      content: {
        size: sent === undefined ? -1 : Buffer.byteLength(sent),
        mimeType: type(one.responseHeaders) ?? 'x-unknown',
        ...(sent === undefined ? { comment: 'too large to be kept' } : { text: sent }),
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

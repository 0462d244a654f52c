import { parseMediaType, type Contract, type ContractOperation } from '../../contract/Contract.ts'
import { isEmptyBody } from '../simulator.ts'
import { parseJson } from '../../lib/json.ts'
import { decodeBody, maxBody } from './decodeBody.ts'
import {
  parseAuthorization,
  type BasicCredentials,
  type RecordedExchange,
  type RecordedResponse,
} from './RecordedExchange.ts'
import type { HarContent, HarEntry } from './readHar.ts'

/** A recorded call to this API. */
export interface RecordedCall {
  /** The exchange, without its credentials */
  exchange: RecordedExchange
  /** Undefined if they weren't recorded, or are no valid Basic credentials; `none` if the entry has no such header */
  credentials: BasicCredentials | 'none' | undefined
  /** Scheme, host and any prefix before the API's own path; empty if they aren't recorded */
  base: string
  /** Time by the recorder's clock, in milliseconds; NaN if the entry has none */
  started: number
  /** The reason why the call can't be judged, if any */
  skipReason: string | undefined
}

/** Parses a HAR entry from any recorder. Returns the reason if it isn't a call to this API. */
export function parseCall(
  entry: HarEntry | undefined,
  number: number,
  contract: Contract,
): RecordedCall | string {
  if (!entry) return 'not a valid HAR entry'
  const { request, response } = entry
  const method = request.method.toUpperCase()
  if (method === 'OPTIONS') return 'a CORS preflight'
  // URL would resolve `..`, but the service may not.
  const [, origin = '', rawPath = '', query = ''] =
    /^(\w+:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/.exec(request.url) ?? []
  const pathname = rawPath.startsWith('/') ? rawPath : `/${rawPath}`
  const match = findOperation(pathname, method, contract)
  if (typeof match === 'string') return match
  const { operation, path, start } = match
  const [requestHeaders, responseHeaders] = [lowercaseHeaders(request), lowercaseHeaders(response)]
  const sent = readBody(request.postData, requestHeaders['content-encoding']) || undefined
  const received = readResponseBody(response, responseHeaders)
  const lacksBody = sent === undefined && method !== 'GET' && request.bodySize !== 0
  const started = parseDate(entry.startedDateTime)
  // Every request has headers, so if there are none, the recorder omits them. Clients of this API send JSON.
  const defaultType = Object.keys(requestHeaders).length === 0 ? 'application/json' : undefined
  return {
    exchange: {
      number,
      at: parseDate(responseHeaders['date']) || started,
      operation,
      path,
      request: {
        url: pathname.slice(start) + query,
        contentType: readContentType(requestHeaders, request.postData) ?? defaultType,
        body: sent,
        value: parseJson(sent),
        credentials: 'valid',
      },
      response: readRecorded(response, responseHeaders, received),
    },
    credentials: readCredentials(entry, requestHeaders['authorization']),
    base: origin === '' ? '' : origin.toLowerCase() + pathname.slice(0, start),
    started,
    skipReason: findSkipReason(entry, received, lacksBody) ?? findForeignId(path, received),
  }
}

function readRecorded(
  response: HarEntry['response'],
  headers: Record<string, string>,
  body = '',
): RecordedResponse {
  return {
    status: response?.status || 0,
    ...(lacksContentType(headers, response?.content) && { lacksContentType: true }),
    contentType: parseMediaType(readContentType(headers, response?.content)),
    body,
    value: parseJson(body),
  }
}

/** HAR 1.2: the `bodySize` of a response from a cache is 0. Only responses to GET are cached. */
function isFromCache({ isCached, request, response }: HarEntry): boolean {
  const isNotTransferred = response?.bodySize === 0 && Boolean(response.content?.text)
  return Boolean(isCached) || (isNotTransferred && request.method.toUpperCase() === 'GET')
}

function findSkipReason(
  entry: HarEntry,
  received: string | undefined,
  lacksBody: boolean,
): string | undefined {
  const status = entry.response?.status || 0
  if (status === 304 || isFromCache(entry)) return 'answered from a cache'
  if (status === 0) return 'no response was recorded'
  if (received === undefined)
    return `the response body was not recorded, or has more than ${maxBody / 1024 / 1024} MB`
  return lacksBody ? 'the request body was not recorded' : undefined
}

/** No record of the simulator has such an id. */
function findForeignId({ id, pid = id }: Record<string, string>, received = ''): string | undefined {
  const isInPath = /^[1-9]\d{10,}$/.test(pid ?? '') && !isEmptyBody(parseJson(received))
  return isInPath || /"\w*id":\s*"?[1-9]\d{10,}/i.test(received)
    ? 'a record whose id has more than ten digits'
    : undefined
}

/** Finds the operation of a path, which may have a prefix. Returns the reason if there is none. */
function findOperation(
  pathname: string,
  method: string,
  contract: Contract,
): { operation: ContractOperation; path: Record<string, string>; start: number } | string {
  let reason = 'not this API'
  for (let start = pathname.indexOf('/'); start >= 0; start = pathname.indexOf('/', start + 1)) {
    const match = contract.match(method, pathname.slice(start))
    if (match && 'operation' in match && match.operation.method === method) return { ...match, start }
    if (match) reason = 'a method that this path does not support'
  }
  return reason
}

/** Headers by lower-case name. If a header is repeated, the last value counts. */
function lowercaseHeaders(one: HarEntry['response']): Record<string, string> {
  return Object.fromEntries((one?.headers ?? []).map(({ name, value }) => [name.toLowerCase(), value ?? '']))
}

/** The Content-Type of a message. Recorders that drop headers may still keep the type of the body. */
function readContentType(
  { 'content-type': header }: Record<string, string>,
  content: HarContent,
): string | undefined {
  const { mimeType } = content ?? {}
  return header ?? (mimeType === 'x-unknown' ? undefined : mimeType || undefined)
}

/** Whether no Content-Type was sent. If there are neither headers nor a type of the body, the recorder omits them. */
function lacksContentType(headers: Record<string, string>, content: HarContent): boolean {
  const isRecorded = Object.keys(headers).length > 0 || typeof content?.mimeType === 'string'
  return isRecorded && readContentType(headers, content) === undefined
}

function parseDate(date: string | null | undefined): number {
  const instant = Date.parse(date ?? '')
  return Math.abs(instant) < lastInstant ? instant : NaN
}

/** The end of the year 9999: later dates have another format. */
const lastInstant = Date.parse('9999-12-31T00:00:00Z')

/** Reads a body. Recorders use base64 for binary data, and some store bodies compressed. */
function readBody(content: HarContent, encoding: string | undefined): string | undefined {
  const { text } = content ?? {}
  if (typeof text !== 'string') return undefined
  return content?.encoding === 'base64' ? decodeBody(Buffer.from(text, 'base64'), encoding) : text
}

/** Reads the body of a response; undefined if there was one that wasn't recorded. */
function readResponseBody(
  response: HarEntry['response'],
  { 'content-encoding': encoding, 'content-length': length }: Record<string, string>,
): string | undefined {
  const { content, bodySize } = response ?? {}
  const size = content?.size ?? 0
  // -1 means unknown. There was no body only if another field says so.
  if (typeof content?.text !== 'string')
    return Math.max(size, bodySize ?? -1) === 0 || length === '0' ? '' : undefined
  const text = readBody(content, encoding)
  // Browsers truncate long bodies. The size of a compressed body may be that of its compressed bytes.
  const isTruncated =
    encoding === undefined && size > Buffer.byteLength(text ?? '') && parseJson(text) === undefined
  return isTruncated ? undefined : text
}

function readCredentials(
  { _credentials: anonymized }: HarEntry,
  header: string | undefined,
): RecordedCall['credentials'] {
  if (!anonymized) return header === undefined ? 'none' : parseAuthorization(header)
  const { type, login = '', secret = '' } = anonymized
  if (type === 'basic') return { login, key: `${login}:${secret}` }
  return type === 'none' ? type : undefined
}

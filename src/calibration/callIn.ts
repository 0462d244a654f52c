import { mediaOf, type Contract, type ContractOperation } from '../contract/Contract.ts'
import { isUtf8 } from 'node:buffer'
import { redacted } from '../journal/redact.ts'
import { jsonOf } from '../lib/json.ts'
import { textOf } from './bodies.ts'
import { credentialsIn, type Basic, type Exchange, type Malformed } from './Exchange.ts'
import type { HarContent, HarEntry } from './readHar.ts'

/** A recorded call to this API. */
export interface Call {
  /** Without its time and its credentials */
  exchange: Exchange
  /** `hidden` if they were sent but not recorded; undefined if the recording shows none, possibly due to the recorder */
  credentials: Basic | Malformed | 'none' | 'hidden' | undefined
  /** Scheme, host and any prefix before the API's own path; empty if they aren't recorded */
  base: string
  /** Time by the recorder's clock, in milliseconds */
  started: number | undefined
  /** Time by the service's clock, in milliseconds */
  date: number | undefined
  /** The reason why it can't be judged */
  flaw: string | undefined
}

/** Reads a body that a recorder stores in a separate file; undefined if that fails */
export type ReadFile = (name: string) => Buffer | undefined

/** The call in an entry, normalised across recorders, or the reason why there is none. */
export function callIn(
  entry: HarEntry | undefined,
  number: number,
  contract: Contract,
  readFile: ReadFile = () => undefined,
): Call | string {
  if (!entry) return 'no request as HAR has it'
  const { request, response } = entry
  const method = request.method.toUpperCase()
  if (method === 'OPTIONS') return 'a CORS preflight'
  // URL would resolve `..`, but the service may not.
  const [, origin = '', written = '', query = ''] =
    /^(\w+:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/.exec(request.url) ?? []
  const pathname = written.startsWith('/') ? written : `/${written}`
  const place = placeOf(pathname, method, contract)
  if (typeof place === 'string') return place
  const { operation, path, start } = place
  const [asked, answered] = [headersOf(request), headersOf(response)]
  const sent = textIn(request.postData, asked['content-encoding'], readFile) || undefined
  const received = receivedText(response, answered, readFile)
  const isChunked = 'transfer-encoding' in asked && request.bodySize !== 0
  const sizes = [request.bodySize, request.postData?.size, asked['content-length']]
  const hadBody = isChunked || sizes.some((size) => Number(size) > 0)
  const lacksBody = sent === undefined && hadBody
  const status = response?.status || 0
  // Without any headers, the recorder kept none: every request has a Host. Clients send JSON.
  const unrecorded = Object.keys(asked).length === 0 ? 'application/json' : undefined
  return {
    exchange: {
      number,
      alike: {},
      at: 0,
      operation,
      path,
      request: {
        url: pathname.slice(start) + query,
        contentType: typeIn(asked, request.postData) ?? unrecorded,
        body: sent,
        value: jsonOf(sent),
        credentials: 'valid',
      },
      response: {
        status,
        type: mediaOf(typeIn(answered, response?.content)),
        body: received ?? '',
        value: jsonOf(received),
      },
    },
    credentials: credentialsOf(entry, asked['authorization']),
    base: origin === '' ? '' : origin.toLowerCase() + pathname.slice(0, start),
    started: instantIn(entry.startedDateTime),
    date: instantIn(answered['date']),
    flaw: isFromCache(entry) ? fromCache : flawOf(entry, received, lacksBody && method !== 'GET'),
  }
}

const fromCache = 'answered from a cache'

/** HAR 1.2: the `bodySize` of a response from a cache is 0. Only responses to GET are cached. */
function isFromCache({ isCached, request, response }: HarEntry): boolean {
  const isUnsent = response?.bodySize === 0 && Boolean(response.content?.text)
  return Boolean(isCached) || (isUnsent && request.method.toUpperCase() === 'GET')
}

function flawOf(
  { request, response }: HarEntry,
  received: string | undefined,
  lacksBody: boolean,
): string | undefined {
  const status = response?.status || 0
  if (status === 0) return 'no response was recorded'
  if (status === 304) return fromCache
  if (received === undefined) return missing('response', response?.content)
  return lacksBody ? missing('request', request.postData) : undefined
}

function missing(part: string, content: HarContent): string {
  return content?._file
    ? `the file of the ${part} body, beside the recording, can't be read`
    : `the recorder did not keep the ${part} body`
}

/** The offset of the API's own path, because a real service may be mounted below a prefix; or the reason why there is none. */
function placeOf(
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

/** Headers by lower-case name; of repeated ones, the last */
function headersOf(one: HarEntry['response']): Record<string, string> {
  return Object.fromEntries((one?.headers ?? []).map(({ name, value }) => [name.toLowerCase(), value ?? '']))
}

/** The Content-Type of a message. Recorders that drop headers may keep the type of the body. */
function typeIn({ 'content-type': header }: Record<string, string>, content: HarContent): string | undefined {
  const { mimeType } = content ?? {}
  return header ?? (mimeType === 'x-unknown' ? undefined : mimeType || undefined)
}

function instantIn(date: string | null | undefined): number | undefined {
  const instant = Date.parse(date ?? '')
  return Number.isNaN(instant) ? undefined : instant
}

/** The text of a body. Recorders use base64 for binary data, and some store it compressed, or in a separate file. */
function textIn(content: HarContent, encoding: string | undefined, readFile: ReadFile): string | undefined {
  const { text, _file: file } = content ?? {}
  if (typeof text !== 'string') {
    const bytes = typeof file === 'string' ? readFile(file) : undefined
    return bytes && textOf(bytes, encoding)
  }
  if (!/^\s*base64(?:url)?\s*$/i.test(content?.encoding ?? '')) return text
  // Some recorders write a data URL, and others mark plain text as base64.
  const encoded = text.replace(/^data:[^,]*;base64,/, '')
  const bytes = Buffer.from(encoded, 'base64')
  const isBase64 = /^[\w+/\s-]*={0,2}\s*$/.test(encoded) && (encoding !== undefined || isUtf8(bytes))
  return isBase64 ? textOf(bytes, encoding) : text
}

/** Undefined if there was a body that wasn't recorded */
function receivedText(
  response: HarEntry['response'],
  { 'content-encoding': encoding, 'content-length': length }: Record<string, string>,
  readFile: ReadFile,
): string | undefined {
  const { content, bodySize } = response ?? {}
  const size = content?.size ?? 0
  // -1 means unknown. There was no body only if another field says so.
  if (typeof content?.text !== 'string' && typeof content?._file !== 'string')
    return Math.max(size, bodySize ?? -1) === 0 || length === '0' ? '' : undefined
  const text = textIn(content, encoding, readFile)
  // Browsers truncate long bodies. The size of a compressed body may be that of its compressed bytes.
  const isCut = encoding === undefined && size > Buffer.byteLength(text ?? '') && jsonOf(text) === undefined
  return isCut ? undefined : text
}

function credentialsOf({ _credentials: own }: HarEntry, header: string | undefined): Call['credentials'] {
  if (own) {
    const { form, login = '', secret = '' } = own
    return form === 'basic' ? { login, key: `${login}:${secret}`, secrets: [] } : form
  }
  if (header === undefined) return undefined
  if (hiding.test(header) || header.includes(redacted)) return 'hidden'
  const credentials = credentialsIn(header)
  const isHidden = typeof credentials === 'object' && hiddenSecret.test(credentials.secrets[1] ?? '')
  return isHidden ? 'hidden' : credentials
}

/** Placeholders of tools for credentials */
const hiding = /^\s*$|\*{3}|•|redact|removed|hidden|\{\{|^(?:basic +)?[<[].*[>\]]$/i

/** Passwords that tools write instead of real ones, before they encode them as base64 */
const hiddenSecret = /^[<[{]*(?:redacted|removed|hidden|masked|x{3,}|\*{3,}|•+)[>\]}]*$/i

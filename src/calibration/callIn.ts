import { mediaOf, type Contract, type ContractOperation } from '../contract/Contract.ts'
import { isUtf8 } from 'node:buffer'
import { redacted } from '../journal/redaction/Redactor.ts'
import { jsonOf } from '../lib/json.ts'
import { textOf } from './bodies.ts'
import { credentialsIn, type Basic, type Exchange, type Malformed } from './Exchange.ts'
import type { HarContent, HarEntry } from './readHar.ts'

/** A recorded call to this API. */
export interface Call {
  /** Without its time and its credentials */
  exchange: Exchange
  /** `hidden`: sent, but not recorded; undefined: the recording shows none, which may be the recorder's fault */
  credentials: Basic | Malformed | 'none' | 'hidden' | undefined
  /** Scheme, host and any prefix before the API's own path; empty if the recording doesn't have them */
  base: string
  /** By the recorder's clock, in milliseconds */
  started: number | undefined
  /** By the service's clock, in milliseconds */
  date: number | undefined
  /** Why it can't be judged */
  flaw: string | undefined
}

/** Reads a body that a recorder keeps in a file of its own; undefined if it can't */
export type ReadFile = (name: string) => Buffer | undefined

/** The call in an entry, normalised across recorders, or why it is none. */
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
  // URL would resolve `..`, which the service may not.
  const [, origin = '', pathname = '', query = ''] =
    /^(\w+:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/.exec(request.url) ?? []
  const place = placeOf(pathname, method, contract)
  if (typeof place === 'string') return place
  const { operation, path, start } = place
  const [asked, answered] = [headersOf(request), headersOf(response)]
  const sent = textIn(request.postData, asked['content-encoding'], readFile) || undefined
  const received = receivedText(response, answered, readFile)
  const isChunked = 'transfer-encoding' in asked && request.bodySize !== 0
  const hadBody = isChunked || Number(request.bodySize) > 0 || Number(asked['content-length']) > 0
  const lacksBody = sent === undefined && hadBody
  const status = response?.status ?? 0
  const { mimeType } = response?.content ?? {}
  const type = answered['content-type'] ?? (mimeType === 'x-unknown' ? undefined : (mimeType ?? undefined))
  return {
    exchange: {
      number,
      alike: {},
      at: 0,
      operation,
      path,
      request: {
        url: pathname.slice(start) + query,
        contentType: asked['content-type'],
        body: sent,
        value: jsonOf(sent),
        credentials: 'valid',
      },
      response: { status, type: mediaOf(type), body: received ?? '', value: jsonOf(received) },
    },
    credentials: credentialsOf(entry, asked['authorization']),
    base: origin === '' ? '' : origin.toLowerCase() + pathname.slice(0, start),
    started: instantIn(entry.startedDateTime),
    date: instantIn(answered['date']),
    flaw: entry.isCached ? fromCache : flawOf(status, received, lacksBody && method !== 'GET'),
  }
}

const fromCache = 'answered from a cache'

function flawOf(status: number, received: string | undefined, lacksBody: boolean): string | undefined {
  if (status === 0) return 'no response was recorded'
  if (status === 304) return fromCache
  if (received === undefined) return 'the recorder did not keep the response body'
  return lacksBody ? 'the recorder did not keep the request body' : undefined
}

/** Where the API's own path begins in a path: a real service may be mounted below a prefix. Or why it is none. */
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

/** By lower-case name; the last of repeated headers */
function headersOf(one: HarEntry['response']): Record<string, string> {
  return Object.fromEntries((one?.headers ?? []).map(({ name, value }) => [name.toLowerCase(), value ?? '']))
}

function instantIn(date: string | null | undefined): number | undefined {
  const instant = Date.parse(date ?? '')
  return Number.isNaN(instant) ? undefined : instant
}

/** A body: recorders write it in base64 if they take it for binary, and some keep it compressed, or in a file. */
function textIn(content: HarContent, encoding: string | undefined, readFile: ReadFile): string | undefined {
  const { text, _file: file } = content ?? {}
  if (typeof text !== 'string') {
    const bytes = typeof file === 'string' ? readFile(file) : undefined
    return bytes && textOf(bytes, encoding)
  }
  if (content?.encoding?.toLowerCase() !== 'base64') return text
  // Some recorders say so of plain text.
  const bytes = Buffer.from(text, 'base64')
  const isBase64 = /^[\w+/\s-]*={0,2}\s*$/.test(text) && (encoding !== undefined || isUtf8(bytes))
  return isBase64 ? textOf(bytes, encoding) : text
}

/** undefined if there was one that the recorder didn't keep */
function receivedText(
  response: HarEntry['response'],
  { 'content-encoding': encoding, 'content-length': length }: Record<string, string>,
  readFile: ReadFile,
): string | undefined {
  const { content, bodySize } = response ?? {}
  const size = content?.size ?? 0
  // -1 means unknown: one of them must say that there was none.
  if (typeof content?.text !== 'string' && typeof content?._file !== 'string')
    return Math.max(size, bodySize ?? -1) === 0 || length === '0' ? '' : undefined
  const text = textIn(content, encoding, readFile)
  // Browsers cut long bodies. Of a compressed one, the size may be that of its bytes.
  const isCut = encoding === undefined && size > Buffer.byteLength(text ?? '') && jsonOf(text) === undefined
  return isCut ? undefined : text
}

function credentialsOf({ _credentials: own }: HarEntry, header: string | undefined): Call['credentials'] {
  if (own) {
    const { form, login = '', secret = '' } = own
    return form === 'basic' ? { login, key: `${login}:${secret}`, secrets: [] } : form
  }
  if (header === undefined) return undefined
  return hiding.test(header) || header.includes(redacted) ? 'hidden' : credentialsIn(header)
}

/** What tools write in the place of credentials */
const hiding = /^\s*$|\*{3}|•|redact|removed|hidden|\{\{|^(?:basic +)?[<[].*[>\]]$/i

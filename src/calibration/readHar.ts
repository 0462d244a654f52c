import { asArray, asObject, type Contract, type ContractOperation } from '../contract/Contract.ts'
import { redacted } from '../journal/redaction/Redactor.ts'
import { readText } from '../lib/files.ts'
import { jsonOf } from '../lib/json.ts'
import { UserError } from '../lib/UserError.ts'
import { isObject } from '../world/mergePatch.ts'
import { textOf } from './bodies.ts'
import { credentialsIn, type Credentials } from './Exchange.ts'

/** A HAR entry, normalised across recorders. */
export interface HarEntry {
  /** Milliseconds since 1970, by the recorder's clock */
  started: number | undefined
  /** Milliseconds since 1970, by the service's clock */
  date: number | undefined
  method: string
  url: string
  contentType: string | undefined
  requestBody: string | undefined
  /** Whether there was a body that the recorder didn't keep */
  lacksRequestBody: boolean
  /** 0 if there is no response */
  status: number
  /** Content type, by header or by `mimeType` */
  type: string | undefined
  /** undefined if there was one that the recorder didn't keep */
  body: string | undefined
  /** undefined: it shows none, which may be the recorder's fault */
  credentials: Credentials | undefined
}

/** What our recorder keeps of credentials: which were the same, but not what they were. */
export interface RecordedCredentials {
  form: Exclude<Credentials['form'], 'unknown'>
  login?: string
  secret?: string
}

export interface Har {
  entries: HarEntry[]
  /** Made by `proxysim record`: it has placeholders already. */
  isOurs: boolean
}

/** The `creator` of archives that our recorder writes */
export const recorderName = 'proxysim record'

/** @throws UserError in one line, without any of the file's content */
export async function readHar(file: string): Promise<Har> {
  const content = (await readText(file)).replace(/^\uFEFF/, '')
  if (content.trim() === '') throw new UserError(`The file ${file} is empty.`)
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    throw new UserError(
      /^\s*\{/.test(content)
        ? `The file ${file} is truncated: it begins like an HTTP archive (HAR) but is not valid JSON.`
        : `The file ${file} is not an HTTP archive (HAR): it is not valid JSON.`,
    )
  }
  const { entries, creator } = asObject(asObject(value)['log'])
  if (!Array.isArray(entries))
    throw new UserError(`The file ${file} is not an HTTP archive (HAR): it has no log.entries.`)
  return { entries: entries.map(entryOf), isOurs: asObject(creator)['name'] === recorderName }
}

function entryOf(value: unknown): HarEntry {
  const entry = asObject(value)
  const [request, response] = [asObject(entry['request']), asObject(entry['response'])]
  const [asked, answered] = [headersOf(request), headersOf(response)]
  const content = asObject(response['content'])
  const mimeType = text(content['mimeType'])
  const body = requestBody(asObject(request['postData']))
  const sizes = [request['bodySize'], asked['content-length']].map(Number)
  const isChunked = 'transfer-encoding' in asked && request['bodySize'] !== 0
  return {
    started: instantIn(entry['startedDateTime']),
    date: instantIn(answered['date']),
    method: (text(request['method']) ?? '').toUpperCase(),
    url: text(request['url']) ?? '',
    contentType: asked['content-type'],
    requestBody: body,
    lacksRequestBody: body === undefined && (isChunked || sizes.some((size) => size > 0)),
    status: Number(response['status']) || 0,
    type: answered['content-type'] ?? (mimeType === 'x-unknown' ? undefined : mimeType),
    body: responseBody(content, Number(response['bodySize'] ?? -1), answered),
    credentials: credentialsOf(entry['_credentials'], asked['authorization']),
  }
}

function instantIn(value: unknown): number | undefined {
  const instant = Date.parse(text(value) ?? '')
  return Number.isNaN(instant) ? undefined : instant
}

function credentialsOf(own: unknown, header: string | undefined): Credentials | undefined {
  if (isObject(own)) {
    const { form, login = '', secret = '' } = own as unknown as RecordedCredentials
    return form === 'basic' ? { form, login, key: `${login}:${secret}`, secrets: [] } : { form }
  }
  if (header === undefined) return undefined
  return header.includes(redacted) ? { form: 'unknown' } : credentialsIn(header) // the journal of a simulator
}

/** By lower-case name; the last of repeated headers */
function headersOf({ headers }: Record<string, unknown>): Record<string, string> {
  const all = asArray(headers).map(asObject)
  return Object.fromEntries(all.map(({ name, value }) => [String(name).toLowerCase(), text(value) ?? '']))
}

function requestBody(postData: Record<string, unknown>): string | undefined {
  const body = text(postData['text']) || undefined
  return body !== undefined && postData['encoding'] === 'base64'
    ? Buffer.from(body, 'base64').toString()
    : body
}

/** Recorders write the decoded body, in base64 if they take it for binary; some keep it compressed. */
function responseBody(
  content: Record<string, unknown>,
  bodySize: number,
  headers: Record<string, string>,
): string | undefined {
  const body = text(content['text'])
  const size = Number(content['size'] ?? 0)
  const encoding = headers['content-encoding']
  // -1 means unknown: one of them must say that there was none.
  if (body === undefined)
    return Math.max(size, bodySize) === 0 || headers['content-length'] === '0' ? '' : undefined
  if (content['encoding'] === 'base64') return textOf(Buffer.from(body, 'base64'), encoding)
  // Browsers cut long bodies. Of a compressed one, the size may be that of its bytes.
  const isCut = size > Buffer.byteLength(body) && encoding === undefined && jsonOf(body) === undefined
  return isCut ? undefined : body
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Where the API's own path begins in a path: a real service may be mounted below a prefix. Or why it is none. */
export function placeOf(
  pathname: string,
  method: string,
  contract: Contract,
): { operation: ContractOperation; path: Record<string, string>; start: number } | string | undefined {
  let otherMethod: string | undefined
  for (let start = pathname.indexOf('/'); start >= 0; start = pathname.indexOf('/', start + 1)) {
    const match = contract.match(method, pathname.slice(start))
    if (match && 'operation' in match && match.operation.method === method) return { ...match, start }
    if (match) otherMethod = 'a method that this path does not support'
  }
  return otherMethod
}

import { isUtf8 } from 'node:buffer'
import zlib, { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { asArray, asObject } from '../contract/Contract.ts'
import { redacted } from '../journal/redaction/Redactor.ts'
import { jsonOf } from '../lib/json.ts'
import { readText } from '../lib/files.ts'
import { UserError } from '../lib/UserError.ts'
import { isObject } from '../world/mergePatch.ts'
import { credentialsIn, type Credentials } from './Exchange.ts'

/** A HAR entry, normalised across recorders. */
export interface HarEntry {
  /** Milliseconds since 1970, by the recorder's clock */
  started: number | undefined
  /** Milliseconds since 1970, by the service's clock */
  date: number | undefined
  method: string
  url: string
  /** Lower-case names; the last of repeated headers */
  requestHeaders: Record<string, string>
  requestBody: string | undefined
  /** Whether there was a body that the recorder didn't keep */
  lacksRequestBody: boolean
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
  const log = isObject(value) ? value['log'] : undefined
  const entries = isObject(log) ? log['entries'] : undefined
  if (!isObject(log) || !Array.isArray(entries))
    throw new UserError(`The file ${file} is not an HTTP archive (HAR): it has no log.entries.`)
  const creator = isObject(log['creator']) ? log['creator'] : {}
  return { entries: entries.map(entryOf), isOurs: creator['name'] === recorderName }
}

function entryOf(value: unknown): HarEntry {
  const entry = asObject(value)
  const [request, response] = [asObject(entry['request']), asObject(entry['response'])]
  const content = asObject(response['content'])
  const responseHeaders = headersOf(response['headers'])
  const mimeType = text(content['mimeType'])
  const requestHeaders = headersOf(request['headers'])
  const body = requestBody(asObject(request['postData']))
  const bodySize = Number(request['bodySize'])
  return {
    started: instantIn(text(entry['startedDateTime'])),
    date: instantIn(responseHeaders['date']),
    method: (text(request['method']) ?? '').toUpperCase(),
    url: text(request['url']) ?? '',
    requestHeaders,
    requestBody: body,
    lacksRequestBody:
      body === undefined &&
      (bodySize > 0 ||
        Number(requestHeaders['content-length']) > 0 ||
        (bodySize !== 0 && 'transfer-encoding' in requestHeaders)),
    status: Number(response['status'] ?? 0) || 0,
    type: responseHeaders['content-type'] ?? (mimeType === 'x-unknown' ? undefined : mimeType),
    body: responseBody(content, response),
    credentials: credentialsOf(entry['_credentials'], requestHeaders['authorization']),
  }
}

function instantIn(value: string | undefined): number | undefined {
  const instant = Date.parse(value ?? '')
  return Number.isNaN(instant) ? undefined : instant
}

function credentialsOf(own: unknown, header: string | undefined): Credentials | undefined {
  if (isObject(own)) {
    const { form, login = '', secret = '' } = own as unknown as RecordedCredentials
    if (form === 'basic') return { form, login, key: `${login}:${secret}`, secrets: [] }
    return { form: form === 'none' || form === 'malformed-header' ? form : 'malformed-credentials' }
  }
  if (header === undefined) return undefined
  return header.includes(redacted) ? { form: 'unknown' } : credentialsIn(header) // the journal of a simulator
}

function headersOf(value: unknown): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const header of asArray(value).map(asObject))
    headers[String(header['name']).toLowerCase()] = text(header['value']) ?? ''
  return headers
}

function requestBody(postData: Record<string, unknown>): string | undefined {
  const body = text(postData['text'])
  if (body !== undefined && body !== '')
    return postData['encoding'] === 'base64' ? Buffer.from(body, 'base64').toString('utf8') : body
  const params = asArray(postData['params']).map(asObject)
  if (params.length === 0) return undefined
  return new URLSearchParams(
    params.map((one): [string, string] => [String(one['name']), text(one['value']) ?? '']),
  ).toString()
}

/** Recorders write the decoded body, in base64 if they take it for binary; some keep it compressed. */
function responseBody(
  content: Record<string, unknown>,
  response: Record<string, unknown>,
): string | undefined {
  const body = text(content['text'])
  if (body === undefined) {
    // -1 means unknown: one of them must say that there was none.
    const sizes = [content['size'] ?? 0, response['bodySize'] ?? -1].map(Number)
    const hasNone = Math.max(...sizes) === 0 || headersOf(response['headers'])['content-length'] === '0'
    return hasNone ? '' : undefined
  }
  if (content['encoding'] !== 'base64') return isCut(body, content, response) ? undefined : body
  return decompressed(
    Buffer.from(body, 'base64'),
    headersOf(response['headers'])['content-encoding'],
  )?.toString('utf8')
}

/** Browsers cut long bodies. Of a compressed one, the size may be that of its bytes. */
function isCut(body: string, content: Record<string, unknown>, response: Record<string, unknown>): boolean {
  return (
    Number(content['size']) > Buffer.byteLength(body) &&
    headersOf(response['headers'])['content-encoding'] === undefined &&
    jsonOf(body) === undefined
  )
}

/** Longer bodies are not kept, also once they are decompressed: a short one may be any length. */
export const maxKeptBytes = 32 * 1024 * 1024

const limit = { maxOutputLength: maxKeptBytes }

/** Undoes the Content-Encoding, unless the recorder has done that already. undefined: it can't be undone. */
export function decompressed(bytes: Buffer, encoding: string | undefined): Buffer | undefined {
  try {
    const plain = unpacked(bytes, encoding)
    return encoding === undefined || isUtf8(plain) ? plain : undefined
  } catch {
    return isUtf8(bytes) ? bytes : undefined // text is decoded already
  }
}

/** @throws if it isn't compressed like that, or is too long */
function unpacked(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, limit)
  if (bytes.subarray(0, 4).equals(zstdMagic)) return zstdDecompressSync(bytes, limit)
  if (encoding === 'br') return brotliDecompressSync(bytes, limit)
  if (encoding === 'deflate') return inflated(bytes)
  return bytes
}

const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** Only from Node 22.15 on: before, calling it throws. */
const { zstdDecompressSync } = zlib as unknown as { zstdDecompressSync: typeof gunzipSync }

/** Some servers leave zlib's header out. */
function inflated(bytes: Buffer): Buffer {
  try {
    return inflateSync(bytes, limit)
  } catch {
    const isText = isUtf8(bytes) && !bytes.includes(0) // raw deflate makes 03 00 of an empty body
    return isText ? bytes : inflateRawSync(bytes, limit)
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

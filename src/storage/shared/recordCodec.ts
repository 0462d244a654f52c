import { hash } from 'node:crypto'
import type { Headers, RawRecord } from '../../journal/RawRecord.ts'

/*
 * How the shared journal stores a request. Bodies and headers that repeat are stored once per run, and records refer to
 * them: a record of a polling client takes 300 bytes instead of 900, and less time to send, store and read.
 */

/** The name of a shared text, and the value of the one header that varies. */
type Reference = [id: string, varying?: string | string[]]

/** A record as a JSON array; JSON turns undefined into null. */
type StoredRecord = [
  birth: number,
  era: number,
  version: number | null,
  time: number,
  at: number,
  durationMs: number,
  account: string | null,
  operation: string | null,
  method: string,
  path: string,
  status: number | null,
  caseName: string | null,
  requestHeaders: Headers | Reference,
  responseHeaders: Headers | Reference,
  responseBody: string | Reference | null | undefined,
  requestBody: string | null | undefined,
  reason: string | null,
  forced: boolean,
  lost: boolean,
  change: unknown,
  violations: string[],
  secrets: RawRecord['secrets'] | null,
  evidence: RawRecord['evidence'] | null,
  omitted: RawRecord['omitted'] | null,
  isBodyUnreadable: boolean | null | undefined,
]

/** Maximum shared texts that a replica adds to a run: they stay until the run ends, as references aren't counted. */
export const mostTexts = 500
const longestText = 16 * 1024
/** A shorter text costs less than a reference to it. */
const shortestText = 64

/** The texts that one commit adds to those of its run */
export interface NewTexts {
  /** Names and texts, alternating */
  flat: string[]
  /** Set by whoever committed them. Until then other commits don't refer to them, as a full store refuses them. */
  areStored: boolean
}

interface Last<T> {
  value: T
  /** Undefined until it repeats */
  shared?: { id: string; texts: NewTexts } | undefined
}

/** Encodes the records of one run. */
export class RecordEncoder {
  #room = 0
  readonly #bodies = new Map<string, Last<string>>()
  readonly #headers = new Map<string, Last<Headers>>()
  #fresh: NewTexts = { flat: [], areStored: false }

  /** Starts over: in a new run or after a lost connection, no text is known to be stored. */
  forget(): void {
    this.#room = 0
    this.#bodies.clear()
    this.#headers.clear()
    this.takeTexts()
  }

  /** @param count texts that the run already has. Until this is called, records are encoded without references. */
  allow(count: number): void {
    this.#room = Math.max(0, mostTexts - count)
  }

  /** What to store together with the records encoded since the last call. */
  takeTexts(): NewTexts {
    const fresh = this.#fresh
    this.#fresh = { flat: [], areStored: false }
    return fresh
  }

  encode(record: RawRecord): string {
    const { operation, method, status } = record
    const secrets = typeof record.secrets === 'function' ? record.secrets() : record.secrets
    const stored: StoredRecord = [
      record.birth,
      record.era,
      record.version,
      record.time,
      record.at,
      record.durationMs,
      record.account,
      operation,
      method,
      record.path,
      status,
      record.case,
      this.#shareHeaders(operation ?? method, record.requestHeaders, 'authorization'),
      this.#shareHeaders(`${operation ?? method} ${status}`, record.responseHeaders, 'date'),
      this.#shareBody(record.path, record.responseBody),
      record.requestBody,
      record.reason,
      record.forced,
      record.lost,
      record.change,
      record.violations,
      secrets,
      record.evidence,
      record.omitted,
      record.isBodyUnreadable,
    ]
    return JSON.stringify(stored)
  }

  #shareBody(path: string, body: string | undefined): string | Reference | undefined {
    if (body === undefined || body.length < shortestText || body.length > longestText) return body
    const last = this.#bodies.get(path)
    if (last?.value !== body) {
      remember(this.#bodies, path, body)
      return body
    }
    const id = this.#idOf(last, () => body)
    return id === undefined ? body : [id]
  }

  #shareHeaders(kind: string, headers: Headers, varying: string): Headers | Reference {
    const last = this.#headers.get(kind)
    if (!last || !areSame(last.value, headers, varying)) {
      remember(this.#headers, kind, headers)
      return headers
    }
    const id = this.#idOf(last, () =>
      JSON.stringify({ ...headers, ...(varying in headers && { [varying]: '' }) }),
    )
    return id === undefined ? headers : [id, headers[varying] ?? '']
  }

  /** @returns undefined if the text can't be referred to: there is no room, or it is on its way with another commit */
  #idOf(last: Last<unknown>, textOf: () => string): string | undefined {
    if (!last.shared) {
      if (this.#room === 0) return undefined
      this.#room--
      const text = textOf()
      last.shared = { id: hash('sha1', text, 'base64url').slice(0, 12), texts: this.#fresh }
      this.#fresh.flat.push(last.shared.id, text)
    }
    const { id, texts } = last.shared
    return texts.areStored || texts === this.#fresh ? id : undefined
  }
}

/** Whether names, values and order are equal. @param but a header whose values may differ */
function areSame(a: Headers, b: Headers, but?: string): boolean {
  const names = Object.keys(b)
  let count = 0
  for (const name in a) {
    if (name !== names[count] || (name !== but && a[name] !== b[name])) return false
    count++
  }
  return count === names.length
}

function remember<T>(all: Map<string, Last<T>>, name: string, value: T): void {
  if (!all.has(name) && all.size >= mostTexts) all.clear()
  all.set(name, { value })
}

/** An encoded record; the shared texts that it refers to must be fetched before it can be decoded. */
export class StoredText {
  readonly #stored: StoredRecord

  constructor(json: string) {
    this.#stored = JSON.parse(json) as StoredRecord
  }

  /** Whether the sender is a known account */
  get isKnown(): boolean {
    return this.#stored[6] !== null
  }

  /** Names of its shared texts */
  get references(): string[] {
    const [, , , , , , , , , , , , requestHeaders, responseHeaders, responseBody] = this.#stored
    return [requestHeaders, responseHeaders, responseBody].flatMap((one) =>
      Array.isArray(one) ? [one[0]] : [],
    )
  }

  decode(id: number, texts: ReadonlyMap<string, string>): RawRecord {
    const [
      birth,
      era,
      version,
      time,
      at,
      durationMs,
      account,
      operation,
      method,
      path,
      status,
      caseName,
      requestHeaders,
      responseHeaders,
      responseBody,
      requestBody,
      reason,
      forced,
      lost,
      change,
      violations,
      secrets,
      evidence,
      omitted,
      isBodyUnreadable,
    ] = this.#stored
    return {
      id,
      birth,
      era,
      version,
      time,
      account,
      operation,
      method,
      path,
      status,
      case: caseName,
      reason,
      forced,
      durationMs,
      requestHeaders: headersOf(requestHeaders, 'authorization', texts),
      requestBody: requestBody ?? undefined,
      isBodyUnreadable: isBodyUnreadable ?? undefined,
      responseHeaders: headersOf(responseHeaders, 'date', texts),
      responseBody: (Array.isArray(responseBody) ? texts.get(responseBody[0]) : responseBody) ?? undefined,
      change: change ?? undefined,
      violations,
      secrets: secrets ?? undefined,
      at,
      lost,
      evidence: evidence ?? undefined,
      ...(omitted && { omitted }),
    }
  }
}

function headersOf(
  stored: Headers | Reference,
  varying: string,
  texts: ReadonlyMap<string, string>,
): Headers {
  if (!Array.isArray(stored)) return stored
  const [id, value] = stored
  const headers = JSON.parse(texts.get(id) ?? '{}') as Record<string, string | string[]>
  if (varying in headers) headers[varying] = value ?? ''
  return headers
}

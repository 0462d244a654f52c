import { hash } from 'node:crypto'
import { JournalRecord } from '../../journal/Journal.ts'
import type { RawRecord } from '../../journal/RawRecord.ts'
import { isLong } from '../../journal/redaction/redactBody.ts'

/*
 * How the shared journal stores a request. Bodies and headers that come again and again are stored once per run, and
 * records refer to them: a record of a polling client takes 300 bytes instead of 900, and less time everywhere.
 */

type Headers = RawRecord['requestHeaders']

/** The name of a shared text, and the value of the one header that differs. */
type Reference = [id: string, differing?: string | string[]]

/** A record as JSON, in which undefined becomes null. */
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
  // What most records lack
  requestBody?: string | null | undefined,
  reason?: string | null,
  forced?: boolean,
  lost?: boolean,
  change?: unknown,
  violations?: string[],
  secrets?: RawRecord['secrets'] | null,
  evidence?: RawRecord['evidence'] | null,
  entry?: RawRecord['entry'] | null | undefined,
]

/** Texts that one replica adds to a run. There is no way to tell when nothing refers to one any more, so they are few. */
export const mostTexts = 500
const longestText = 16 * 1024
/** A shorter text costs less than a reference to it. */
const shortestText = 64

interface Last<T> {
  value: T
  /** Undefined until it came twice */
  id?: string | undefined
}

/** Encodes the records of one run. */
export class RecordEncoder {
  #room = 0
  readonly #bodies = new Map<string, Last<string>>()
  readonly #headers = new Map<string, Last<Headers>>()
  #fresh: string[] = []

  /** Starts over: of a new run, or after a lost connection, no text is known to be stored. */
  forget(): void {
    this.#room = 0
    this.#bodies.clear()
    this.#headers.clear()
    this.#fresh = []
  }

  /** @param held how many texts the run has already; until this is called, records stand for themselves */
  allow(held: number): void {
    this.#room = Math.max(0, mostTexts - held)
  }

  /** Names and texts that must be stored together with the records encoded since the last call. */
  takeTexts(): string[] {
    const fresh = this.#fresh
    if (fresh.length > 0) this.#fresh = []
    return fresh
  }

  /** A long body is redacted and cut first: the journal's limit is also one of memory. */
  encode(record: RawRecord): string {
    const { operation, method, status } = record
    const secrets = typeof record.secrets === 'function' ? record.secrets() : record.secrets
    let kept = record
    if (isLong(record.requestBody) || isLong(record.responseBody)) {
      kept = { ...record, secrets }
      kept.entry = new JournalRecord(kept).entry
    }
    const stored: StoredRecord = [
      kept.birth,
      kept.era,
      kept.version,
      kept.time,
      kept.at,
      kept.durationMs,
      kept.account,
      operation,
      method,
      kept.path,
      status,
      kept.case,
      this.#shareHeaders(operation ?? method, kept.requestHeaders, 'authorization'),
      this.#shareHeaders(`${operation ?? method} ${status}`, kept.responseHeaders, 'date'),
      this.#shareBody(kept.path, kept.responseBody),
      kept.requestBody,
      kept.reason,
      kept.forced,
      kept.lost,
      kept.change,
      kept.violations,
      secrets,
      kept.evidence,
      kept.entry,
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
    last.id ??= this.#add(body)
    return last.id === undefined ? body : [last.id]
  }

  #shareHeaders(kind: string, headers: Headers, differing: string): Headers | Reference {
    const last = this.#headers.get(kind)
    if (!last || !isSame(last.value, headers, differing)) {
      remember(this.#headers, kind, headers)
      return headers
    }
    last.id ??= this.#add(JSON.stringify({ ...headers, ...(differing in headers && { [differing]: '' }) }))
    return last.id === undefined ? headers : [last.id, headers[differing] ?? '']
  }

  #add(text: string): string | undefined {
    if (this.#room === 0) return undefined
    this.#room--
    const id = hash('sha1', text, 'base64url').slice(0, 12)
    this.#fresh.push(id, text)
    return id
  }
}

function remember<T>(all: Map<string, Last<T>>, name: string, value: T): void {
  if (all.size >= mostTexts) all.clear()
  all.set(name, { value })
}

function isSame(a: Headers, b: Headers, but: string): boolean {
  let count = 0
  for (const name in a) {
    if (name === but ? !(name in b) : a[name] !== b[name]) return false
    count++
  }
  for (const _ in b) count--
  return count === 0
}

/** A record on its way back: the texts that it needs may have to be looked up. */
export class StoredText {
  readonly #stored: StoredRecord

  constructor(json: string) {
    this.#stored = JSON.parse(json) as StoredRecord
  }

  /** Whether an account of the store sent it */
  get isKnown(): boolean {
    return this.#stored[6] !== null
  }

  /** Names of the shared texts that it refers to */
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
      name,
      ...rest
    ] = this.#stored
    const [asked, answered, body, sent, reason, forced, lost, change, violations, secrets, evidence, entry] =
      rest
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
      case: name,
      reason: reason ?? null,
      forced: forced === true,
      durationMs,
      requestHeaders: headersOf(asked, 'authorization', texts),
      requestBody: sent ?? undefined,
      responseHeaders: headersOf(answered, 'date', texts),
      responseBody: (Array.isArray(body) ? texts.get(body[0]) : body) ?? undefined,
      change: change ?? undefined,
      violations: violations ?? [],
      secrets: secrets ?? undefined,
      at,
      lost: lost === true,
      evidence: evidence ?? undefined,
      ...(entry && { entry }),
    }
  }
}

function headersOf(
  stored: Headers | Reference,
  differing: string,
  texts: ReadonlyMap<string, string>,
): Headers {
  if (!Array.isArray(stored)) return stored
  const [id, value] = stored
  const headers = JSON.parse(texts.get(id) ?? '{}') as Record<string, string | string[]>
  if (differing in headers) headers[differing] = value ?? ''
  return headers
}

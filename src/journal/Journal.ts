import { isDeep } from './isDeep.ts'
import { instantOf, type Instant } from '../world/time.ts'
import type { Evidence } from './findings.ts'
import type { JournalEntry } from './JournalEntry.ts'
import { redactHeaders, redactKnown, redactPath, redactValue, secretOf } from './redact.ts'
import { isLong, redactRequestBody, redactResponseBody } from './redactBody.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** What the pipeline knows of a request when its entry is closed; `secrets` are taken out of it before it is shown. */
export interface RawRecord {
  /** Given by the store */
  id: number
  /** When the account's world took its place, and between which rewinds the request came; set by the store */
  birth: number
  era: number
  /** The world's version that the request met */
  version: number | null
  /** By the account's clock */
  time: Instant
  account: string | null
  operation: string | null
  method: string
  path: string
  status: number | null
  case: string | null
  reason: string | null
  forced: boolean
  durationMs: number
  requestHeaders: Headers
  requestBody: string | undefined
  responseHeaders: Headers
  responseBody: string | undefined
  change: unknown
  violations: string[]
  secrets: readonly string[]
  /** Whether lines of the answer hold credentials, as those of an IP list do */
  hasSecretLines: boolean
  /** Real time, milliseconds */
  at: number
  /** Whether the answer never reached the client */
  lost: boolean
  evidence: Evidence | undefined
}

/**
 * One kept entry. Most are never looked at, so what is kept is what the pipeline had in its hands; the one way out of here
 * is `entry`, and it covers every credential. A long body is covered and cut at once: the journal's bound is one of
 * memory too.
 */
export class JournalRecord {
  readonly id: number
  readonly birth: number
  readonly era: number
  readonly version: number | null
  readonly account: string | null
  readonly operation: string | null
  readonly status: number | null
  readonly case: string | null
  /** By the account's clock */
  readonly time: Instant
  /** Real time, milliseconds: whether something came within a second is a matter of real time too. */
  readonly at: number
  /** What findings are made of */
  readonly evidence: Evidence | undefined
  /** As it came, for reproducing it; undefined if it was too long to be kept */
  readonly raw: RawRecord | undefined
  readonly #raw: RawRecord
  #entry: JournalEntry | undefined

  constructor(raw: RawRecord) {
    this.id = raw.id
    this.birth = raw.birth
    this.era = raw.era
    this.version = raw.version
    this.account = raw.account
    this.operation = raw.operation
    this.status = raw.status
    this.case = raw.case
    this.time = raw.time
    this.at = raw.at
    this.evidence = raw.evidence
    this.#raw = raw
    if (!isLong(raw.requestBody) && !isLong(raw.responseBody)) this.raw = raw
    else {
      this.#entry = entryOf(raw)
      raw.requestBody = raw.responseBody = undefined
    }
  }

  /** Whether the answer never reached the client; that may become known later. */
  get lost(): boolean {
    return this.#raw.lost
  }

  /** The entry as it is shown. */
  get entry(): JournalEntry {
    this.#entry ??= entryOf(this.#raw)
    return this.#entry
  }
}

/** The entry without credentials. */
function entryOf(raw: RawRecord): JournalEntry {
  const secrets = raw.secrets.map(secretOf)
  const { requestHeaders, requestBody, responseHeaders, responseBody, change } = raw
  return {
    id: raw.id,
    time: instantOf(raw.time),
    account: raw.account,
    version: raw.version,
    operation: raw.operation,
    method: raw.method,
    path: redactPath(raw.path, secrets),
    status: raw.status,
    case: raw.case,
    reason: raw.reason === null ? null : redactKnown(raw.reason, secrets),
    forced: raw.forced,
    durationMs: Math.round(raw.durationMs * 1000) / 1000,
    request: {
      headers: redactHeaders(requestHeaders, secrets),
      body: shown(requestBody === undefined ? undefined : redactRequestBody(requestBody, secrets)),
    },
    response: {
      headers: redactHeaders(responseHeaders, secrets),
      body: shown(
        responseBody === undefined
          ? undefined
          : redactResponseBody(responseBody, raw.hasSecretLines, secrets),
      ),
    },
    change: change === undefined ? null : redactValue(change),
    violations: raw.violations.map((violation) => redactKnown(violation, secrets)),
  }
}

function shown(body: string | undefined): unknown {
  if (body === undefined || body === '') return null
  if (isDeep(body)) return body
  try {
    return JSON.parse(body) as unknown
  } catch {
    return body
  }
}

function isSame(a: Headers, b: Headers): boolean {
  let count = 0
  for (const name in a) {
    if (a[name] !== b[name]) return false
    count++
  }
  for (const _ in b) count--
  return count === 0
}

/** Paths whose last answer is remembered */
const mostAnswers = 200

/** The last so many requests, the newest last. */
export class Journal {
  readonly #limit: number
  #ring: JournalRecord[] = []
  readonly #answers = new Map<string, string>()
  #headers: Headers = {}
  #next = 0
  #dropped = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(record: JournalRecord): void {
    if (this.#limit === 0 || this.#ring.length === this.#limit) this.#dropped++
    if (this.#limit === 0) return
    this.#ring[this.#next] = record
    this.#next = (this.#next + 1) % this.#limit
  }

  /**
   * The body of an answer, as the text that the same path had before where it is the same: what is asked over and
   * over is kept once.
   */
  sameBody(path: string, body: string): string {
    if (isLong(body)) return body
    const before = this.#answers.get(path)
    if (before === body) return before
    if (before === undefined && this.#answers.size >= mostAnswers) this.#answers.clear()
    this.#answers.set(path, body)
    return body
  }

  /** The headers of a request, as those of the one before where they are the same. */
  sameHeaders(headers: Headers): Headers {
    if (!isSame(this.#headers, headers)) this.#headers = headers
    return this.#headers
  }

  /** Forgets all, also how many there were; of one account, those of its requests that are here. */
  clear(account?: string): void {
    const rest = account === undefined ? [] : this.records.filter((record) => record.account !== account)
    this.#ring = rest
    this.#next = rest.length % (this.#limit || 1)
    if (account !== undefined) return
    this.#answers.clear()
    this.#dropped = 0
  }

  /** How many there were */
  get total(): number {
    return this.#ring.length + this.#dropped
  }

  /** How many fell out */
  get dropped(): number {
    return this.#dropped
  }

  /** Those that are kept, the oldest first. */
  get records(): JournalRecord[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)]
  }
}

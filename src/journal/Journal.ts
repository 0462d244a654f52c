import { isDeep } from './isDeep.ts'
import { instantOf, type Instant } from '../world/time.ts'
import type { Evidence } from './findings.ts'
import type { JournalEntry } from './JournalEntry.ts'
import { redactHeaders, redactKnown, redactPath, redactValue, secretOf } from './redact.ts'
import { isLong, redactRequestBody, redactResponseBody } from './redactBody.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** What the road knows of a request when its entry is closed; `secrets` are taken out of it before it is shown. */
export interface RawRecord {
  id: number
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
  /** Which life of the account's world it is: it goes up when the world is put back to what it had been. */
  era: number
  evidence: Evidence | undefined
}

/**
 * One kept entry. Most are never looked at, so what is kept is what the road had in its hands; the one way out of here
 * is `entry`, and it covers every credential. A long body is covered and cut at once: the journal's bound is one of
 * memory too.
 */
export class JournalRecord {
  readonly id: number
  readonly account: string | null
  readonly operation: string | null
  readonly status: number | null
  readonly case: string | null
  /** By the account's clock */
  readonly time: Instant
  /** Real time, milliseconds: whether something came within a second is a matter of real time too. */
  readonly at: number
  readonly era: number
  /** Whether the answer never reached the client; that may become known later. */
  lost: boolean
  /** What findings are made of */
  readonly evidence: Evidence | undefined
  #closing: RawRecord | undefined
  #entry: JournalEntry | undefined

  constructor(closing: RawRecord) {
    this.id = closing.id
    this.account = closing.account
    this.operation = closing.operation
    this.status = closing.status
    this.case = closing.case
    this.time = closing.time
    this.at = closing.at
    this.era = closing.era
    this.lost = closing.lost
    this.evidence = closing.evidence
    if (isLong(closing.requestBody) || isLong(closing.responseBody)) this.#entry = entryOf(closing)
    else this.#closing = closing
  }

  /** The entry as it is shown. */
  get entry(): JournalEntry {
    this.#entry ??= entryOf(this.#closing as RawRecord)
    this.#closing = undefined
    return this.#entry
  }
}

/** The entry without credentials. */
function entryOf(closing: RawRecord): JournalEntry {
  const secrets = closing.secrets.map(secretOf)
  const { requestHeaders, requestBody, responseHeaders, responseBody, change } = closing
  return {
    id: closing.id,
    time: instantOf(closing.time),
    account: closing.account,
    operation: closing.operation,
    method: closing.method,
    path: redactPath(closing.path, secrets),
    status: closing.status,
    case: closing.case,
    reason: closing.reason === null ? null : redactKnown(closing.reason, secrets),
    forced: closing.forced,
    durationMs: Math.round(closing.durationMs * 1000) / 1000,
    request: {
      headers: redactHeaders(requestHeaders, secrets),
      body: shown(requestBody === undefined ? undefined : redactRequestBody(requestBody, secrets)),
    },
    response: {
      headers: redactHeaders(responseHeaders, secrets),
      body: shown(
        responseBody === undefined
          ? undefined
          : redactResponseBody(responseBody, closing.hasSecretLines, secrets),
      ),
    },
    change: change === undefined ? null : redactValue(change),
    violations: closing.violations.map((violation) => redactKnown(violation, secrets)),
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
  total = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(kept: JournalRecord): void {
    this.total++
    if (this.#limit === 0) return
    this.#ring[this.#next] = kept
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

  /** Forgets all, also how many there were. */
  clear(): void {
    this.#ring = []
    this.#answers.clear()
    this.#next = 0
    this.total = 0
  }

  /** How many fell out */
  get dropped(): number {
    return this.total - this.#ring.length
  }

  /** Those that are kept, the oldest first. */
  get records(): JournalRecord[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)]
  }
}

import type { Instant } from '../world/time.ts'
import type { Evidence } from './findings.ts'
import type { JournalEntry } from './JournalEntry.ts'
import type { RawRecord } from './RawRecord.ts'
import { isLong } from './redaction/redactBody.ts'
import { redactRecord } from './redaction/redactRecord.ts'
import type { Redactor } from './redaction/Redactor.ts'

type Headers = RawRecord['requestHeaders']

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
  #redactor: Redactor | undefined

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
    if (raw.entry) this.#entry = raw.entry
    else if (!isLong(raw.requestBody) && !isLong(raw.responseBody)) this.raw = raw
    else {
      this.#redact()
      raw.requestBody = raw.responseBody = undefined
    }
  }

  /** Whether the answer never reached the client; that may become known later. */
  get lost(): boolean {
    return this.#raw.lost
  }

  /** The entry as it is shown. */
  get entry(): JournalEntry {
    if (!this.#entry) this.#redact()
    return this.#entry as JournalEntry
  }

  /** A text that is told of this request, without its credentials. */
  redact(text: string): string {
    if (!this.#redactor) this.#redact()
    return (this.#redactor as Redactor).text(text, true)
  }

  #redact(): void {
    const { entry, redactor } = redactRecord(this.#raw)
    this.#entry ??= entry
    this.#redactor = redactor
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

  /** Takes over what was kept elsewhere, the newest last. @param dropped how many fell out there */
  fill(records: readonly JournalRecord[], dropped: number): void {
    for (const record of records) this.add(record)
    this.#dropped = dropped
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

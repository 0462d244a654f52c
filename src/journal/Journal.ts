import type { JournalEntry } from '../admin/shapes.ts'
import type { Headers, RawRecord } from './RawRecord.ts'
import { isLong } from './redaction/redactBody.ts'
import { redactRecord } from './redaction/redactRecord.ts'
import type { Redactor } from './redaction/Redactor.ts'

/**
 * One request in the journal. Most are never looked at, so it keeps the raw data; only its `entry` may be shown, in which
 * every credential is redacted. Long bodies are redacted and cut right away, so that the journal's limit bounds memory
 * too.
 */
export class JournalRecord {
  readonly raw: RawRecord
  /** Whether its bodies were too long to keep as received */
  readonly #isCut: boolean
  #entry: JournalEntry | undefined
  #redactor: Redactor | undefined

  constructor(raw: RawRecord) {
    const isTooLong = isLong(raw.requestBody) || isLong(raw.responseBody)
    this.raw = raw
    this.#isCut = isTooLong || raw.entry !== undefined
    this.#entry = raw.entry
    if (!isTooLong) return
    this.#redact()
    raw.requestBody = raw.responseBody = undefined
  }

  /** Whether its body is kept as it was sent, and a command line can hold it. */
  get isReproducible(): boolean {
    const { requestBody, isBodyUnreadable } = this.raw
    return !this.#isCut && !isBodyUnreadable && !requestBody?.includes('\0')
  }

  /** The redacted entry. */
  get entry(): JournalEntry {
    if (!this.#entry) this.#redact()
    return this.#entry as JournalEntry
  }

  /** Redacts this request's credentials from a text. */
  redact(text: string): string {
    if (!this.#redactor) this.#redact()
    return (this.#redactor as Redactor).text(text, true)
  }

  #redact(): void {
    const { entry, redactor } = redactRecord(this.raw)
    this.#entry ??= entry
    this.#redactor = redactor
  }
}

/** Whether names, values and order are equal. @param but a header whose values may differ */
export function areSame(a: Headers, b: Headers, but?: string): boolean {
  const names = Object.keys(b)
  let count = 0
  for (const name in a) {
    if (name !== names[count] || (name !== but && a[name] !== b[name])) return false
    count++
  }
  return count === names.length
}

/** A ring buffer of the latest requests, the newest last. */
export class Journal {
  readonly #limit: number
  #ring: JournalRecord[] = []
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

  /** Fills the journal from elsewhere, the newest last. @param dropped how many were dropped there */
  fill(records: readonly JournalRecord[], dropped: number): void {
    for (const record of records) this.add(record)
    this.#dropped = dropped
  }

  /** Deduplicates request headers: returns those of the previous request if they are equal. */
  sameHeaders(headers: Headers): Headers {
    if (!areSame(this.#headers, headers)) this.#headers = headers
    return this.#headers
  }

  /** Forgets all requests and their count, or only an account's requests. */
  clear(account?: string): void {
    const rest = account === undefined ? [] : this.records.filter((record) => record.raw.account !== account)
    this.#ring = rest
    this.#next = rest.length % (this.#limit || 1)
    if (account !== undefined) return
    this.#dropped = 0
  }

  /** All requests so far, including dropped ones */
  get total(): number {
    return this.#ring.length + this.#dropped
  }

  /** How many were dropped */
  get dropped(): number {
    return this.#dropped
  }

  /** The requests still kept, oldest first. */
  get records(): JournalRecord[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)]
  }
}

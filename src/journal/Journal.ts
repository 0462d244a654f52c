import type { Clues, JournalEntry } from './JournalEntry.ts'
import type { RawRecord } from './RawRecord.ts'
import { isLong } from './redaction/redactBody.ts'
import { redactRecord } from './redaction/redactRecord.ts'
import type { Redactor } from './redaction/Redactor.ts'

type Headers = RawRecord['requestHeaders']

/**
 * One request. Most are never looked at, so what is kept is what was there anyway; the one way out of here is `entry`,
 * and it covers credentials. A long body is covered and cut at once: the journal's bound is one of memory too.
 */
export class JournalRecord {
  readonly id: number
  readonly account: string | null
  readonly operation: string | null
  readonly status: number | null
  readonly case: string | null
  readonly clues: Clues
  #raw: RawRecord | undefined
  #entry: JournalEntry | undefined
  #redactor: Redactor | undefined

  constructor(raw: RawRecord) {
    this.id = raw.id
    this.account = raw.account
    this.operation = raw.operation
    this.status = raw.status
    this.case = raw.case
    this.clues = raw.clues
    this.#raw = raw
    if (isLong(raw.requestBody) || isLong(raw.responseBody)) this.#redact(raw)
  }

  /** The entry as it is shown. */
  get entry(): JournalEntry {
    if (this.#raw) this.#redact(this.#raw)
    return this.#entry as JournalEntry
  }

  /** A text that is told of this request, without its credentials. */
  redact(text: string): string {
    if (this.#raw) this.#redact(this.#raw)
    return (this.#redactor as Redactor).text(text, true)
  }

  #redact(raw: RawRecord): void {
    ;({ entry: this.#entry, redactor: this.#redactor } = redactRecord(raw))
    this.#raw = undefined
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

import type { JournalEntry } from '../admin/shapes.ts'
import type { Headers, RawRecord } from './RawRecord.ts'
import { redactRecord } from './redaction/redactRecord.ts'
import type { Contract } from '../contract/Contract.ts'
import { Coverage } from './Coverage.ts'
import { setImmediate } from 'node:timers/promises'

/** One request in the journal. Most are never looked at, so its `entry`, without credentials, is made when it is read. */
export class JournalRecord {
  readonly raw: RawRecord
  readonly size: number
  #shown: ReturnType<typeof redactRecord> | undefined

  constructor(raw: RawRecord) {
    this.raw = raw
    this.size = sizeOf(raw)
  }

  /** Whether its body is kept as it was sent, and a command line can hold it. */
  get isReproducible(): boolean {
    const { requestBody, isBodyUnreadable, omitted } = this.raw
    return omitted?.request === undefined && !isBodyUnreadable && !requestBody?.includes('\0')
  }

  /** What may be shown of it. */
  get entry(): JournalEntry {
    return this.#redacted().entry
  }

  /** Redacts this request's credentials from a text of ours. */
  redact(text: string): string {
    return this.#redacted().own.text(text)
  }

  #redacted(): ReturnType<typeof redactRecord> {
    return (this.#shown ??= redactRecord(this.raw))
  }
}

/** Characters that the journal keeps, however many requests it may have */
const mostCharacters = 64 * 1024 * 1024

/** The latest requests, bounded in number and in size. */
export class Journal {
  readonly #limit: number
  readonly #most: number
  #records: (JournalRecord | undefined)[] = []
  /** Where the oldest stands; those before it were dropped */
  #first = 0
  #characters = 0
  #dropped = 0

  /** @param limit requests that it keeps @param most characters that it keeps */
  constructor(limit: number, most = mostCharacters) {
    this.#limit = limit
    this.#most = most
  }

  add(record: JournalRecord): void {
    this.#records.push(record)
    this.#characters += record.size
    while (this.#records.length - this.#first > this.#limit || this.#characters > this.#most) {
      this.#characters -= this.#records[this.#first]?.size ?? 0
      this.#records[this.#first++] = undefined
      this.#dropped++
    }
    if (this.#first <= this.#limit) return
    this.#records = this.#records.slice(this.#first) // now and then, as it copies what is left
    this.#first = 0
  }

  /** Fills the journal from elsewhere, the newest last. @param dropped how many were dropped there */
  fill(records: readonly JournalRecord[], dropped: number): void {
    for (const record of records) this.add(record)
    this.#dropped = dropped
  }

  /** Forgets all requests and their count, or only an account's requests. */
  clear(account?: string): void {
    const kept = account === undefined ? [] : this.records.filter(({ raw }) => raw.account !== account)
    this.#records = kept
    this.#first = 0
    this.#characters = kept.reduce((sum, { size }) => sum + size, 0)
    if (account === undefined) this.#dropped = 0
  }

  /** All requests so far, including dropped ones */
  get total(): number {
    return this.#records.length - this.#first + this.#dropped
  }

  /** How many were dropped */
  get dropped(): number {
    return this.#dropped
  }

  /** The requests still kept, oldest first. */
  get records(): JournalRecord[] {
    return this.#records.slice(this.#first) as JournalRecord[]
  }
}

/** What it holds in memory, about, in characters: its texts, and a share of the change that it made. */
function sizeOf({ path, reason, requestBody, responseBody, requestHeaders }: RawRecord): number {
  let size =
    1500 + path.length + (reason?.length ?? 0) + (requestBody?.length ?? 0) + (responseBody?.length ?? 0)
  for (const name in requestHeaders) size += name.length + (requestHeaders[name]?.length ?? 0)
  return size
}

/** Whether two requests were sent with the same headers, but for their length. */
function areSame(a: Headers, b: Headers): boolean {
  const names = Object.keys(b)
  let count = 0
  for (const name in a) if (name !== names[count++] || a[name] !== b[name]) return false
  return count === names.length
}

/** What a scenario run has recorded about requests: the journal and the coverage. Each load starts a new one. */
export class Observations {
  readonly journal: Journal
  readonly coverage: Coverage
  #headers: Headers = {}

  /** @param limit requests that the journal keeps */
  constructor(contract: Contract, limit: number) {
    this.journal = new Journal(limit)
    this.coverage = new Coverage(contract)
  }

  /** Takes in an exchange that has ended. */
  add(raw: RawRecord): JournalRecord {
    // Clients send the same with every request: a thousand records that live a while are expensive to collect.
    if (areSame(this.#headers, raw.requestHeaders)) raw.requestHeaders = this.#headers
    else this.#headers = raw.requestHeaders
    const record = new JournalRecord(raw)
    this.journal.add(record)
    this.coverage.count(raw)
    return record
  }

  /** Forgets one account's requests. */
  clear(account: string): void {
    this.journal.clear(account)
    this.coverage.clear(account)
  }
}

/** Milliseconds for which other requests wait at a time */
const turn = 20

/** The entries of records, which are redacted when first read: for many that takes a while, so others get their turns. */
export async function readEntries(records: readonly JournalRecord[]): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = []
  let began = performance.now()
  for (const record of records) {
    entries.push(record.entry)
    if (performance.now() - began < turn) continue
    await setImmediate()
    began = performance.now()
  }
  return entries
}

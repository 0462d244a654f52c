import { setImmediate } from 'node:timers/promises'
import type { JournalEntry } from '../admin/shapes.ts'
import type { Contract } from '../contract/Contract.ts'
import { Coverage } from './Coverage.ts'
import type { Headers, RawRecord } from './RawRecord.ts'
import { redactRecord } from './redaction/redactRecord.ts'

/** One request in the journal. Most are never looked at, so its `entry`, without credentials, is made when it is read. */
export class JournalRecord {
  readonly raw: RawRecord
  #entry?: JournalEntry

  constructor(raw: RawRecord) {
    this.raw = raw
  }

  /** Whether its body is kept as it was sent, and a command line can hold it. */
  get isReproducible(): boolean {
    const { requestBody, isBodyUnreadable, omitted } = this.raw
    return omitted?.request === undefined && !isBodyUnreadable && !requestBody?.includes('\0')
  }

  /** What may be shown of it. */
  get entry(): JournalEntry {
    return (this.#entry ??= redactRecord(this.raw))
  }
}

/** Characters that the journal keeps, however many requests it may have */
const mostCharacters = 64 * 1024 * 1024

/** The latest requests, bounded in number and in size. */
export class Journal {
  readonly #limit: number
  readonly #most: number
  #records: JournalRecord[] = []
  #characters = 0
  #dropped = 0

  /** @param limit requests that it keeps @param most characters that it keeps */
  constructor(limit: number, most = mostCharacters) {
    this.#limit = limit
    this.#most = most
  }

  add(record: JournalRecord): void {
    this.#records.push(record)
    this.#characters += sizeOf(record)
    while (this.#records.length > this.#limit || this.#characters > this.#most) {
      this.#characters -= sizeOf(this.#records.shift() as JournalRecord)
      this.#dropped++
    }
  }

  /** Fills the journal from elsewhere, the newest last. @param dropped how many were dropped there */
  fill(records: readonly JournalRecord[], dropped: number): void {
    for (const record of records) this.add(record)
    this.#dropped = dropped
  }

  /** Forgets all requests and their count, or only an account's requests. */
  clear(account?: string): void {
    this.#records = account === undefined ? [] : this.#records.filter(({ raw }) => raw.account !== account)
    this.#characters = this.#records.reduce((sum, record) => sum + sizeOf(record), 0)
    if (account === undefined) this.#dropped = 0
  }

  /** All requests so far, including dropped ones */
  get total(): number {
    return this.#records.length + this.#dropped
  }

  /** How many were dropped */
  get dropped(): number {
    return this.#dropped
  }

  /** The requests still kept, oldest first. */
  get records(): JournalRecord[] {
    return [...this.#records]
  }
}

/** What a record holds in memory, about, in characters: its texts, and a share of its headers and of the change that it made. */
function sizeOf({ raw: { path, requestBody = '', responseBody = '' } }: JournalRecord): number {
  return 2000 + path.length + requestBody.length + responseBody.length
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

/** Whether two requests were sent with the same headers. */
function areSame(a: Headers, b: Headers): boolean {
  const names = Object.keys(b)
  let count = 0
  for (const name in a) if (name !== names[count++] || a[name] !== b[name]) return false
  return count === names.length
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

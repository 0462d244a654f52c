import { setImmediate } from 'node:timers/promises'
import type { JournalEntry } from '../admin/shapes.ts'
import type { Headers, JournalRecord } from './JournalRecord.ts'
import { entryOf } from './redaction/redactRecord.ts'

/** Characters that the journal keeps, however many requests it may have */
const mostCharacters = 64 * 1024 * 1024

/** The latest requests, bounded in number and in size. */
export class Journal {
  readonly #limit: number
  readonly #most: number
  #records: JournalRecord[] = []
  #characters = 0
  #dropped = 0
  /** Of the latest request */
  #headers: Headers = {}

  /** @param limit requests that it keeps @param most characters that it keeps */
  constructor(limit: number, most = mostCharacters) {
    this.#limit = limit
    this.#most = most
  }

  add(record: JournalRecord): void {
    // Clients send the same with every request: a thousand records that live a while are expensive to collect.
    if (areSame(this.#headers, record.requestHeaders)) record.requestHeaders = this.#headers
    else this.#headers = record.requestHeaders
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
    this.#records = account === undefined ? [] : this.#records.filter((record) => record.account !== account)
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
function sizeOf({ path, requestBody = '', responseBody = '' }: JournalRecord): number {
  return 2000 + path.length + requestBody.length + responseBody.length
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
    entries.push(entryOf(record))
    if (performance.now() - began < turn) continue
    await setImmediate()
    began = performance.now()
  }
  return entries
}

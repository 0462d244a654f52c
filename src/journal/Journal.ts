import { setImmediate } from 'node:timers/promises'
import type { Headers, JournalEntry, JournalRecord } from './JournalRecord.ts'
import { entryOf } from './redaction/redactRecord.ts'

/** The latest requests. */
export class Journal {
  readonly #limit: number
  #records: JournalRecord[] = []
  /** How many it dropped */
  dropped = 0
  #headers: Headers = {}

  /** @param limit how many it keeps */
  constructor(limit: number) {
    this.#limit = limit
  }

  add(record: JournalRecord): void {
    // Clients send the same with every request: a thousand records that live a while are expensive to collect.
    if (areSame(this.#headers, record.requestHeaders)) record.requestHeaders = this.#headers
    else this.#headers = record.requestHeaders
    this.#records.push(record)
    if (this.#records.length <= this.#limit) return
    this.#records.shift()
    this.dropped++
  }

  /** Fills the journal from elsewhere, the newest last. @param dropped how many were dropped there */
  fill(records: readonly JournalRecord[], dropped: number): void {
    for (const record of records) this.add(record)
    this.dropped = dropped
  }

  /** Forgets all requests and their count, or only an account's requests. */
  clear(account?: string): void {
    this.#records = account === undefined ? [] : this.#records.filter((record) => record.account !== account)
    if (account === undefined) this.dropped = 0
  }

  /** All requests so far, including dropped ones */
  get total(): number {
    return this.#records.length + this.dropped
  }

  /** The requests still kept, oldest first. */
  get records(): JournalRecord[] {
    return [...this.#records]
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
    entries.push(entryOf(record))
    if (performance.now() - began < turn) continue
    await setImmediate()
    began = performance.now()
  }
  return entries
}

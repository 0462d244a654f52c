import type { JournalEntry } from '../contract/shapes.ts'
import type { Headers, JournalRecord } from './JournalRecord.ts'
import { getEntry } from './getEntry.ts'

/** The latest requests. */
export class Journal {
  readonly #limit: number
  #records: JournalRecord[] = []
  /** Number of dropped requests */
  dropped = 0
  #headers: Headers = {}

  /** @param limit maximum number of requests */
  constructor(limit: number) {
    this.#limit = limit
  }

  add(record: JournalRecord): void {
    // Clients send the same headers with every request. Sharing them makes long-lived records cheaper to collect.
    if (haveSameHeaders(this.#headers, record.requestHeaders)) record.requestHeaders = this.#headers
    else this.#headers = record.requestHeaders
    this.#records.push(record)
    if (this.#records.length <= this.#limit) return
    this.#records.shift()
    this.dropped++
  }

  /** Clears all requests and their count, or only an account's requests. */
  clear(account?: string): void {
    this.#records = account === undefined ? [] : this.#records.filter((record) => record.account !== account)
    if (account === undefined) this.dropped = 0
  }

  /** Number of requests so far, including dropped ones */
  get total(): number {
    return this.#records.length + this.dropped
  }

  /** The requests in the journal, oldest first. */
  get records(): JournalRecord[] {
    return [...this.#records]
  }
}

/** Whether two requests were sent with the same headers. */
function haveSameHeaders(a: Headers, b: Headers): boolean {
  const names = Object.keys(b)
  let count = 0
  for (const name in a) if (name !== names[count++] || a[name] !== b[name]) return false
  return count === names.length
}

export function readEntries(records: readonly JournalRecord[]): JournalEntry[] {
  return records.map(getEntry)
}

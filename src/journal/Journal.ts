import type { JournalEntry } from '../contract/shapes.ts'
import type { Headers, JournalRecord } from './JournalRecord.ts'
import { getEntry } from './getEntry.ts'

/** The fields of a request that filters use */
export type Filtered = Pick<JournalRecord, 'account' | 'operation' | 'status' | 'case' | 'forced'>

/** The latest requests. */
export class Journal {
  readonly #limit: number
  #records: JournalRecord[] = []
  /** Number of dropped requests */
  dropped = 0
  /** The dropped requests that this process has seen, counted by the fields that filters use */
  readonly #droppedKinds = new Map<string, { kind: Filtered; count: number }>()
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
    this.dropped++
    const { account, operation, status, case: name, forced } = this.#records.shift() ?? record
    const key = `${account}\n${operation}\n${status}\n${name}\n${forced}`
    const known = this.#droppedKinds.get(key)
    if (known) known.count++
    else this.#droppedKinds.set(key, { kind: { account, operation, status, case: name, forced }, count: 1 })
  }

  /** Number of matching requests that were dropped */
  countDropped(isWanted: (kind: Filtered) => boolean): number {
    return [...this.#droppedKinds.values()].reduce(
      (sum, { kind, count }) => sum + (isWanted(kind) ? count : 0),
      0,
    )
  }

  /** Clears all requests and their count, or only an account's requests. */
  clear(account?: string): void {
    this.#records = account === undefined ? [] : this.#records.filter((record) => record.account !== account)
    if (account === undefined) this.dropped = 0
    for (const [key, { kind }] of this.#droppedKinds)
      if (kind.account === (account ?? kind.account)) this.#droppedKinds.delete(key)
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

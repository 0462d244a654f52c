import { setImmediate } from 'node:timers/promises'
import type { JournalEntry } from '../admin/shapes.ts'
import type { Contract } from '../contract/Contract.ts'
import { Coverage, responseName } from './Coverage.ts'
import type { RawRecord } from './RawRecord.ts'
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

/** The latest requests. */
export class Journal {
  readonly #limit: number
  #records: JournalRecord[] = []
  /** How many it dropped */
  dropped = 0

  /** @param limit how many it keeps */
  constructor(limit: number) {
    this.#limit = limit
  }

  add(record: JournalRecord): void {
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
    this.#records = account === undefined ? [] : this.#records.filter(({ raw }) => raw.account !== account)
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

/** What a scenario run has recorded about requests: the journal and the coverage. Each load starts a new one. */
export class Observations {
  readonly journal: Journal
  readonly coverage: Coverage

  /** @param limit requests that the journal keeps */
  constructor(contract: Contract, limit: number) {
    this.journal = new Journal(limit)
    this.coverage = new Coverage(contract)
  }

  /** Takes in an exchange that has ended. */
  add(raw: RawRecord): JournalRecord {
    const record = new JournalRecord(raw)
    this.journal.add(record)
    this.coverage.add(raw.account, responseName(raw))
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

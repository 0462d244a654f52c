import type { Contract } from '../contract/Contract.ts'
import { Coverage } from './Coverage.ts'
import { Journal, JournalRecord } from './Journal.ts'
import type { RawRecord } from './RawRecord.ts'

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
    this.coverage.count(raw)
    return record
  }

  /** Forgets one account's requests. */
  clear(account: string): void {
    this.journal.clear(account)
    this.coverage.clear(account)
  }
}

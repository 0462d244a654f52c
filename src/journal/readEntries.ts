import type { JournalEntry } from '../admin/shapes.ts'
import type { JournalRecord } from './Journal.ts'

/** The entries of records, which are redacted when first read. */
export function readEntries(records: readonly JournalRecord[]): Promise<JournalEntry[]> {
  return Promise.resolve(records.map(({ entry }) => entry))
}

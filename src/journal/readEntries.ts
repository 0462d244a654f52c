import { runAsync } from '../scenario/runAsync.ts'
import type { Steps } from '../world/Steps.ts'
import type { JournalRecord } from './Journal.ts'
import type { JournalEntry } from '../admin/shapes.ts'

/** The entries of records, which are redacted when first read. For many records that takes a while, so it yields. */
export function readEntries(records: readonly JournalRecord[]): Promise<JournalEntry[]> {
  return runAsync(read(records))
}

function* read(records: readonly JournalRecord[]): Steps<JournalEntry[]> {
  const entries: JournalEntry[] = []
  for (const record of records) {
    entries.push(record.entry)
    yield
  }
  return entries
}

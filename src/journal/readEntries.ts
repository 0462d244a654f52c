import { setImmediate as nextTurn } from 'node:timers/promises'
import type { JournalRecord } from './Journal.ts'
import type { JournalEntry } from './JournalEntry.ts'

/** Milliseconds of work before yielding to others. */
const maxWork = 10

/** The entries of records, which are redacted when first read. For many records that takes a while, so it yields. */
export async function readEntries(records: readonly JournalRecord[]): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = []
  let began = performance.now()
  for (const record of records) {
    entries.push(record.entry)
    if (performance.now() - began < maxWork) continue
    await nextTurn()
    began = performance.now()
  }
  return entries
}

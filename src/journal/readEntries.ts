import { setImmediate } from 'node:timers/promises'
import type { JournalEntry } from '../admin/shapes.ts'
import type { JournalRecord } from './Journal.ts'

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

import { setImmediate as othersTurn } from 'node:timers/promises'
import type { JournalRecord } from './Journal.ts'
import type { JournalEntry } from './JournalEntry.ts'

/** Milliseconds of work after which others have a turn. */
const slice = 10

/** The entries of records. Credentials are covered when an entry is first looked at, which takes a while for many. */
export async function readEntries(records: readonly JournalRecord[]): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = []
  let began = performance.now()
  for (const record of records) {
    entries.push(record.entry)
    if (performance.now() - began < slice) continue
    await othersTurn()
    began = performance.now()
  }
  return entries
}

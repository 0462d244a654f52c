import { describeChange, type ChangeLine } from '../lib/describeChange.ts'
import type { JournalEntry } from '../lib/types.ts'

const made = new WeakMap<JournalEntry, ChangeLine[]>()

/** What an entry changed, in words; `seen` is what was known of it live, with the values from before. */
export function linesOf(entry: JournalEntry, seen: ReadonlyMap<number, ChangeLine[]>): ChangeLine[] {
  const live = seen.get(entry.id)
  if (live) return live
  const known = made.get(entry) ?? describeChange(entry.change)
  made.set(entry, known)
  return known
}

import { describeChange, type ChangeLine } from '../lib/describeChange.ts'
import type { JournalEntry } from '../lib/types.ts'

const made = new WeakMap<JournalEntry, ChangeLine[]>()

/** What a request changed, in words. */
export function linesOf(entry: JournalEntry): ChangeLine[] {
  const known = made.get(entry) ?? describeChange(entry.change, entry.before)
  made.set(entry, known)
  return known
}

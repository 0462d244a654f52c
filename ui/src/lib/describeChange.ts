import { describeChange } from '../../../src/service/describeChange.ts'
import type { JournalEntry } from './types.ts'

const cache = new WeakMap<JournalEntry, string[]>()

/** Describes the changes that a request made. */
export function describeEntryChange(entry: JournalEntry): string[] {
  const lines = cache.get(entry) ?? describeChange(entry.change, entry.before)
  cache.set(entry, lines)
  return lines
}

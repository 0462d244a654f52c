import { describeChange } from '../../../src/service/describeChange.ts'
import type { JournalEntry } from './types.ts'

const cache = new WeakMap<JournalEntry, string[]>()

/** Describes the changes that a request made. */
export function describeEntryChange(entry: JournalEntry): string[] {
  const lines = cache.get(entry) ?? describeChange(entry.change, entry.before)
  cache.set(entry, lines)
  return lines
}

/** Whether a request that should have changed something succeeded, but changed nothing. */
export function hasNoEffect(entry: JournalEntry): boolean {
  const { method, status, forced } = entry
  const isWrite = method !== 'GET' && method !== 'HEAD'
  return isWrite && status !== null && status < 300 && !forced && describeEntryChange(entry).length === 0
}

import type { JournalRecord } from '../Journal.ts'

/** What one rule found: a sentence that teaches, and the requests that show it, the oldest first. */
export interface Evidence {
  message: string
  shown: JournalRecord[]
}

/** Looks through the journal, the oldest first, for one thing that a client does. */
export type Rule = (records: readonly JournalRecord[]) => Evidence[]

/** The entries that have the same key, in their order; those without one are left out. */
export function groups(
  records: readonly JournalRecord[],
  key: (one: JournalRecord) => string | undefined,
): JournalRecord[][] {
  const found = new Map<string, JournalRecord[]>()
  for (const one of records) {
    const name = key(one)
    if (name === undefined) continue
    const group = found.get(name)
    if (group) group.push(one)
    else found.set(name, [one])
  }
  return [...found.values()]
}

/** A key of several parts. */
export function keyOf(...parts: readonly (string | number | null)[]): string {
  return JSON.stringify(parts)
}

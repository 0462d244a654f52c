import { searchText } from '../lib/json.ts'
import type { JournalEntry } from '../lib/types.ts'

/** Filters of the list. */
export const shows: Record<string, { title: string; has: (entry: JournalEntry) => boolean }> = {
  all: { title: 'All', has: () => true },
  failed: { title: 'Failed', has: ({ status }) => status === null || status >= 400 },
  faults: { title: 'Faults', has: ({ forced }) => forced },
  contract: { title: 'Contract', has: breaksContract },
  changed: { title: 'Changed state', has: ({ change }) => change !== null },
}

/** Whether a request, or the simulator's own response to it, breaks the contract; a fault's response is meant to. */
export function breaksContract({ violations, forced }: JournalEntry): boolean {
  return violations.length > 0 && !forced
}

/** The entries of a kind in which each word occurs: in path, operation, status, case, reason, account or a body. */
export function filterEntries(
  entries: readonly JournalEntry[],
  show: string,
  text: string,
): readonly JournalEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const has = (shows[show] ?? shows['all'])?.has
  return entries.filter((entry) => has?.(entry) && words.every((word) => textOf(entry).includes(word)))
}

function textOf(entry: JournalEntry): string {
  const { id, method, path, operation, status, reason, account, request, response } = entry
  const bodies = [request.body, response.body]
  return searchText(entry, () => [
    `#${id}`,
    method,
    path,
    operation,
    status,
    entry.case,
    reason,
    account,
    ...bodies,
  ])
}

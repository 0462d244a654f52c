import { searchText } from '../lib/json.ts'
import type { JournalEntry } from '../lib/types.ts'

/** Filters of the list by their `show` parameter. `has` says whether an entry passes. */
export const views: Record<string, { title: string; has: (entry: JournalEntry) => boolean }> = {
  all: { title: 'All', has: () => true },
  failed: { title: 'Failed', has: ({ status }) => status === null || status >= 400 },
  faults: { title: 'Faults', has: ({ forced }) => forced },
  contract: { title: 'Violations', has: breaksContract },
  changed: { title: 'Changed state', has: ({ change }) => change !== null },
}

/** Whether the request or its response breaks the contract. Responses of faults don't count. */
export function breaksContract({ violations, forced }: JournalEntry): boolean {
  return violations.length > 0 && !forced
}

/** The entries that match the filter and contain every word of the search text. */
export function filterEntries(
  entries: readonly JournalEntry[],
  show: string,
  text: string,
): readonly JournalEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const has = (views[show] ?? views['all'])?.has
  return entries.filter((entry) => has?.(entry) && words.every((word) => entryText(entry).includes(word)))
}

function entryText(entry: JournalEntry): string {
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

import { getSearchText } from '../lib/json.ts'
import type { JournalEntry } from '../lib/types.ts'

/** Filters of the list, by the value of the query parameter `show`. */
export const views: Record<string, { title: string; matches: (entry: JournalEntry) => boolean }> = {
  all: { title: 'All', matches: () => true },
  failed: { title: 'Failed', matches: isFailed },
  faults: { title: 'Faults', matches: ({ forced }) => forced },
  contract: { title: 'Violations', matches: breaksContract },
  changed: { title: 'Changed state', matches: ({ change }) => change !== null },
}

export function isFailed({ status }: JournalEntry): boolean {
  return status === null || status >= 400
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
  const has = (views[show] ?? views['all'])?.matches
  return entries.filter((entry) => has?.(entry) && words.every((word) => getEntryText(entry).includes(word)))
}

function getEntryText(entry: JournalEntry): string {
  const { id, method, path, operation, status, reason, account, request, response } = entry
  const bodies = [request.body, response.body]
  return getSearchText(entry, () => [
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

/** The query parameters of the page */
export type Filters = Partial<Record<'show' | 'q' | 'group', string>>

export function readFilters(query: URLSearchParams): Filters {
  return cleanFilters(Object.fromEntries(query))
}

/** Without the filters that have their default. */
export function cleanFilters({ show, q, group }: Filters): Filters {
  return { ...(show && { show }), ...(q && { q }), ...(group && { group }) }
}

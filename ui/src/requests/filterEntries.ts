import type { JournalEntry } from '../lib/types.ts'

/** What the list is narrowed to; it stands in the address, so that it can be passed on. */
export interface Filters {
  text: string
  operation: string
  /** `2xx`, or a status */
  status: string
  case: string
  account: string
  /** Ids, `12-40` */
  ids: string
}

export const noFilters: Filters = { text: '', operation: '', status: '', case: '', account: '', ids: '' }

const names = Object.keys(noFilters) as (keyof Filters)[]

export function readFilters(query: string): Filters {
  const given = new URLSearchParams(query)
  return Object.fromEntries(names.map((name) => [name, given.get(name) ?? ''])) as unknown as Filters
}

/** As they stand in the address: those that narrow anything. */
export function queryOf(filters: Filters): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
}

export function readIds({ ids }: Filters): [first: number, last: number] | undefined {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(ids) ?? []
  return first && last ? [Number(first), Number(last)] : undefined
}

/** The entries that are asked for; a text is looked for in path, operation, case, reason and bodies. */
export function filterEntries(entries: readonly JournalEntry[], filters: Filters): readonly JournalEntry[] {
  const { operation, status, account } = filters
  const words = filters.text.toLowerCase().split(/\s+/).filter(Boolean)
  const ids = readIds(filters)
  if (Object.values(filters).every((value) => value === '')) return entries
  return entries.filter(
    (entry) =>
      (operation === '' || entry.operation === operation) &&
      (status === '' || isOfStatus(entry.status, status)) &&
      (filters.case === '' || entry.case === filters.case) &&
      (account === '' || entry.account === account) &&
      (!ids || (entry.id >= ids[0] && entry.id <= ids[1])) &&
      (words.length === 0 || hasWords(entry, words)),
  )
}

function isOfStatus(status: number | null, wanted: string): boolean {
  if (wanted === 'lost') return status === null
  return wanted.endsWith('xx') ? String(status)[0] === wanted[0] : String(status) === wanted
}

function hasWords(entry: JournalEntry, words: readonly string[]): boolean {
  const text = searchText(entry)
  return words.every((word) => text.includes(word))
}

const texts = new WeakMap<JournalEntry, string>()

function searchText(entry: JournalEntry): string {
  const known = texts.get(entry)
  if (known !== undefined) return known
  const { id, method, path, operation, reason, account, request, response } = entry
  const parts = [id, method, path, operation, entry.case, reason, account, request.body, response.body]
  const text = parts
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
    .join('\n')
    .toLowerCase()
  texts.set(entry, text)
  return text
}

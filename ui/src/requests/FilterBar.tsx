import { useMemo } from 'preact/hooks'
import type { CoverageReport, JournalEntry } from '../lib/types.ts'
import { Choice } from '../parts/Choice.tsx'
import { useApp } from '../state/store.ts'
import { noFilters, type Filters } from './filterEntries.ts'

const usual = ['200', '400', '401', '404', '405', '422', '429', '500']

interface Props {
  /** What there is to narrow */
  entries: readonly JournalEntry[]
  filters: Filters
  onChange: (filters: Filters) => void
}

/** What to show of the journal: what the contract has can be chosen, and what occurs. */
export function FilterBar({ entries, filters, onChange }: Props) {
  const coverage = useApp((state) => state.coverage)
  const accounts = useApp((state) => state.accounts)
  const operations = useMemo(() => coverage?.operations.map(({ operation }) => operation) ?? [], [coverage])
  const statuses = useMemo(() => sorted([...usual, ...entries.map(({ status }) => status)]), [entries])
  const cases = useMemo(
    () => casesOf(coverage, entries, filters.operation),
    [coverage, entries, filters.operation],
  )
  const set = (part: Partial<Filters>) => onChange({ ...filters, ...part })
  const isFiltered = Object.values(filters).some((value) => value !== '')
  return (
    <search class="filters">
      <input
        type="search"
        aria-label="Search the requests"
        placeholder="Search path, reason, body…"
        value={filters.text}
        onInput={(event) => set({ text: event.currentTarget.value })}
      />
      <Choice
        isBare
        label="Operation"
        value={filters.operation}
        options={[{ value: '', text: 'All operations' }, ...operations]}
        onChange={(operation) => set({ operation, case: '' })}
      />
      <Choice
        isBare
        label="Status"
        value={filters.status}
        options={[{ value: '', text: 'Any status' }, '2xx', '4xx', '5xx', ...statuses, 'lost']}
        onChange={(status) => set({ status })}
      />
      <Choice
        isBare
        label="Case"
        value={filters.case}
        options={[{ value: '', text: 'Any case' }, ...cases]}
        onChange={(name) => set({ case: name })}
      />
      {accounts.length > 1 && (
        <Choice
          isBare
          label="Account"
          value={filters.account}
          options={[{ value: '', text: 'All accounts' }, ...accounts.map(({ login }) => login)]}
          onChange={(account) => set({ account })}
        />
      )}
      {isFiltered && (
        <button type="button" class="small quiet" onClick={() => onChange(noFilters)}>
          Show all
        </button>
      )}
    </search>
  )
}

function casesOf(
  coverage: CoverageReport | undefined,
  entries: readonly JournalEntry[],
  operation: string,
): string[] {
  const isAsked = (one: { operation: string | null }) => operation === '' || one.operation === operation
  const of = coverage?.operations.filter(isAsked) ?? []
  const responses = [...(coverage?.authentication ?? []), ...of.flatMap((one) => one.responses)]
  return sorted([...responses, ...entries.filter(isAsked)].map((response) => response.case))
}

/** Each once; null is none. */
function sorted(values: readonly (string | number | null)[]): string[] {
  return [...new Set(values.filter((value) => value !== null).map(String))].toSorted()
}

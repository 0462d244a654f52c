import { useMemo } from 'preact/hooks'
import type { CoverageReport } from '../lib/types.ts'
import { Choice } from '../parts/Choice.tsx'
import { useApp } from '../state/store.ts'
import { noFilters, type Filters } from './filterEntries.ts'

const statuses = ['2xx', '4xx', '5xx', '200', '400', '401', '404', '405', '422', '429', '500', 'lost']

/** What to show of the journal. */
export function FilterBar({ filters, onChange }: { filters: Filters; onChange: (filters: Filters) => void }) {
  const coverage = useApp((state) => state.coverage)
  const accounts = useApp((state) => state.accounts)
  const operations = useMemo(() => coverage?.operations.map(({ operation }) => operation) ?? [], [coverage])
  const cases = useMemo(() => casesOf(coverage, filters.operation), [coverage, filters.operation])
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
        options={[{ value: '', text: 'Any status' }, ...statuses]}
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

function casesOf(coverage: CoverageReport | undefined, operation: string): string[] {
  const of = coverage?.operations.filter((one) => operation === '' || one.operation === operation) ?? []
  const responses = [...(coverage?.authentication ?? []), ...of.flatMap((one) => one.responses)]
  const names = responses.map((response) => response.case)
  return [...new Set(names)].filter((name) => name !== null).toSorted()
}

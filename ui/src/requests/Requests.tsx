import { useMemo, useState } from 'preact/hooks'
import { admin } from '../lib/admin.ts'
import { plural } from '../lib/format.ts'
import { Start } from '../start/Start.tsx'
import { resync } from '../state/live.ts'
import { attempt } from '../state/notices.ts'
import { go } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { EntryDetail } from './EntryDetail.tsx'
import { EntryList } from './EntryList.tsx'
import { FilterBar } from './FilterBar.tsx'
import { filterEntries, noFilters } from './filterEntries.ts'

/** The live journal. */
export function Requests({ open }: { open: string }) {
  const entries = useApp((state) => state.entries)
  const dropped = useApp((state) => state.dropped)
  const connection = useApp((state) => state.connection)
  const [filters, setFilters] = useState(noFilters)
  const shown = useMemo(() => filterEntries(entries, filters), [entries, filters])
  const chosen = useMemo(() => entries.find(({ id }) => String(id) === open), [entries, open])
  if (entries.length === 0)
    return connection === 'live' ? (
      <>
        <h1>Requests</h1>
        <p class="lead">
          No request yet. Send one, and it appears here at once, with the reason for its answer.
        </p>
        <Start />
      </>
    ) : (
      <h1>Requests</h1>
    )
  return (
    <div class={`requests ${chosen ? 'has-detail' : ''}`}>
      <div class="requests-list">
        <div class="title-line">
          <h1>Requests</h1>
          <span class="muted">
            {shown.length === entries.length
              ? plural(entries.length, 'request')
              : `${shown.length} of ${entries.length}`}
            {dropped > 0 && `, ${dropped.toLocaleString('en')} older ones dropped`}
          </span>
          <button type="button" class="small quiet" onClick={empty}>
            Clear
          </button>
        </div>
        <FilterBar filters={filters} onChange={setFilters} />
        {shown.length === 0 ? (
          <p class="empty">No request is like that.</p>
        ) : (
          <EntryList entries={shown} chosen={chosen} onChoose={({ id }) => go('requests', String(id))} />
        )}
      </div>
      {chosen ? (
        <EntryDetail key={chosen.id} entry={chosen} onClose={() => go('requests')} />
      ) : (
        open !== '' && <p class="empty">Request {open} is no longer in the journal.</p>
      )}
    </div>
  )
}

function empty(): void {
  void attempt(async () => {
    await admin('DELETE', '/requests')
    await resync()
  }, 'The journal is empty.')
}

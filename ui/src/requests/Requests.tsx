import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { admin } from '../lib/admin.ts'
import { plural } from '../lib/format.ts'
import type { JournalEntry } from '../lib/types.ts'
import { Steps } from '../start/Start.tsx'
import { ActionButton } from '../parts/ActionButton.tsx'
import { resync } from '../state/live.ts'
import { attempt } from '../state/notices.ts'
import { go, setQuery } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { EntryDetail } from './EntryDetail.tsx'
import { EntryList } from './EntryList.tsx'
import { FilterBar } from './FilterBar.tsx'
import { filterEntries, queryOf, readFilters, readIds, type Filters } from './filterEntries.ts'
import { Timeline } from './Timeline.tsx'

/** The live journal. */
export function Requests({ open, query }: { open: string; query: string }) {
  const live = useApp((state) => state.entries)
  const dropped = useApp((state) => state.dropped)
  const connection = useApp((state) => state.connection)
  const [paused, setPaused] = useState<readonly JournalEntry[]>()
  const filters = useMemo(() => readFilters(query), [query])
  const entries = paused ?? live
  const inTime = useMemo(() => filterEntries(entries, { ...filters, ids: '' }), [entries, filters])
  const shown = useMemo(() => filterEntries(inTime, { ...filters }), [inTime, filters])
  const { chosen, isGone } = useChosen(entries, open)
  const choose = (id = '') => go('requests', id, queryOf(filters))
  useEscape(open !== '', () => choose())

  if (live.length === 0 && !paused && open === '')
    return connection === 'live' ? (
      <>
        <h1>Requests</h1>
        <p class="lead">
          No request yet. Send one, and it appears here at once, with the reason for its answer.
        </p>
        <Steps />
      </>
    ) : (
      <h1>Requests</h1>
    )
  const change = (to: Filters) => setQuery(queryOf(to))
  const waiting = paused ? live.findIndex(({ id }) => id === paused[0]?.id) : 0
  return (
    <div class={`requests ${open === '' ? '' : 'has-detail'}`}>
      <div class="requests-list">
        <div class="title-line">
          <h1>Requests</h1>
          <span class="muted">
            {shown.length === entries.length
              ? plural(entries.length, 'request')
              : `${shown.length} of ${entries.length}`}
            {dropped > 0 && `, ${dropped.toLocaleString('en')} older ones dropped`}
          </span>
          <button
            type="button"
            class="small"
            aria-pressed={paused !== undefined}
            onClick={() => setPaused(paused ? undefined : live)}
          >
            {paused ? 'Resume' : 'Pause'}
          </button>
          {paused && (
            <span class="mark" role="status">
              {waiting < 0 ? 'the journal began anew' : plural(waiting, 'new request')}
            </span>
          )}
          <ActionButton class="small quiet" action={empty}>
            Clear
          </ActionButton>
        </div>
        <FilterBar entries={entries} filters={filters} onChange={change} />
        <Timeline
          entries={inTime}
          chosen={readIds(filters)}
          onChoose={(ids) => change({ ...filters, ids: ids ? ids.join('-') : '' })}
        />
        {shown.length === 0 ? (
          <p class="empty">{entries.length === 0 ? 'No request yet.' : 'No request matches.'}</p>
        ) : (
          <EntryList entries={shown} chosen={chosen} hasDetail={open !== ''} onChoose={(id) => choose(id)} />
        )}
      </div>
      {chosen ? (
        <EntryDetail key={chosen.id} entry={chosen} isGone={isGone} onClose={() => choose()} />
      ) : (
        open !== '' && connection === 'live' && <Gone id={open} onClose={() => choose()} />
      )}
    </div>
  )
}

/** The entry that is open. One that falls out of the journal meanwhile stays, as it was last seen. */
function useChosen(entries: readonly JournalEntry[], open: string) {
  const found = useMemo(() => entries.find(({ id }) => String(id) === open), [entries, open])
  const seen = useRef<JournalEntry | undefined>(undefined)
  if (found) seen.current = found
  const last = String(seen.current?.id) === open ? seen.current : undefined
  return { chosen: found ?? last, isGone: !found }
}

/** Escape closes what is open, wherever the focus is; in a field that has its own use for it, not. */
function useEscape(isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return undefined
    const look = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      if ((event.target as Element).matches('input[type="search"], select')) return
      close()
      document.querySelector<HTMLElement>('.entries')?.focus()
    }
    addEventListener('keydown', look)
    return () => removeEventListener('keydown', look)
  })
}

function Gone({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <article class="detail" aria-label={`Request ${id}`}>
      <header class="detail-head">
        <h2>Request {id}</h2>
        <button type="button" class="small" onClick={onClose}>
          Close
        </button>
      </header>
      <p class="callout callout-forced" role="status">
        The journal does not have this request: it has fallen out, was cleared, or belongs to a state before
        the last reset.
      </p>
    </article>
  )
}

function empty(): Promise<boolean> {
  return attempt(async () => {
    await admin('DELETE', '/requests')
    await resync()
  }, 'The journal is empty.')
}

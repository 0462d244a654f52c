import { useMemo } from 'preact/hooks'
import { Search } from '../parts/Field.tsx'
import { formatCurl, requiredHeaders } from '../lib/apiRequest.ts'
import { Copy } from '../parts/Copy.tsx'
import { Pane, useEscape } from '../parts/Pane.tsx'
import { showToast } from '../state/actions.ts'
import { go, link, replaceRoute } from '../state/route.ts'
import { getState, setState, useApp, getVisibleEntries } from '../state/store.ts'
import { EntryDetail } from './EntryDetail.tsx'
import { EntryList } from './EntryList.tsx'
import { cleanFilters, filterEntries, readFilters, views, type Filters } from './filterEntries.ts'
import { NewRequest } from './NewRequest.tsx'
import { Refused } from './Refused.tsx'

/** The journal, filters, and the open or new request. */
export function Requests({ open, query }: { open: string; query: URLSearchParams }) {
  const { entries: all, account, clearedUpTo } = useApp()
  const hasAccounts = useApp((state) => state.account === undefined && state.accounts.length > 1)
  const filters = readFilters(query)
  const { show = 'all', q: text = '' } = filters
  const isGrouped = hasAccounts && filters.group === 'account'
  const visible = useMemo(() => getVisibleEntries(getState()), [all, account, clearedUpTo])
  const shown = useMemo(() => filterEntries(visible, show, text), [visible, show, text])
  const chosen = useMemo(() => all.find(({ id }) => String(id) === open), [all, open])
  const filter = (to: Filters) => replaceRoute(link('requests', open, cleanFilters({ ...filters, ...to })))
  const showAll = () => {
    setState({ clearedUpTo: 0 })
    filter({ show: '', q: '' })
  }
  const close = () => {
    go(link('requests', '', filters))
    document.querySelector<HTMLElement>('.entries')?.focus()
  }
  useEscape(open !== '', close)
  const counts = useMemo(
    () =>
      Object.fromEntries(
        Object.entries(views).map(([name, { matches }]) => [name, visible.filter(matches).length]),
      ),
    [visible],
  )

  return (
    <>
      <h1 class="unseen">Requests</h1>
      <search class="toolbar">
        <Search
          items="requests"
          hint="Search path, status, reason, body…"
          value={text}
          onInput={(q) => filter({ q })}
        />
        <div class="chips" role="group" aria-label="Filter">
          {Object.entries(views).map(([name, { title }]) => (
            <button
              type="button"
              key={name}
              aria-pressed={name === show}
              onClick={() => filter({ show: name === 'all' ? '' : name })}
            >
              {title} <span class="count">{counts[name]?.toLocaleString('en')}</span>
            </button>
          ))}
          {hasAccounts && (
            <button
              type="button"
              aria-pressed={isGrouped}
              onClick={() => filter({ group: isGrouped ? '' : 'account' })}
            >
              Group by account
            </button>
          )}
        </div>
        <Refused />
        <span class="toolbar-end">
          {visible.length > 0 && (
            <button type="button" class="quiet" onClick={clearEntries}>
              Clear
            </button>
          )}
          <a class="button primary" href={link('requests', 'new', filters)}>
            New request
          </a>
        </span>
      </search>
      <div class={`split ${open === '' ? '' : 'is-open'}`}>
        <div class="split-list">
          {shown.length > 0 ? (
            <EntryList
              entries={shown}
              isGrouped={isGrouped}
              chosen={chosen}
              onChoose={(id) => {
                // Only the first opened request adds a step to the browser's history.
                const to = link('requests', String(id), filters)
                if (open === '') go(to)
                else replaceRoute(to)
              }}
            />
          ) : visible.length === 0 && clearedUpTo === 0 ? (
            <FirstRequest />
          ) : (
            <p class="empty">
              {visible.length > 0 || clearedUpTo === 0 ? 'No requests match. ' : 'No new requests. '}
              {clearedUpTo > 0 && 'Earlier requests are cleared from view. '}
              <button type="button" class="link" onClick={showAll}>
                Show all
              </button>
            </p>
          )}
        </div>
        {open === 'new' ? (
          <NewRequest query={query} onClose={close} />
        ) : chosen ? (
          <EntryDetail key={chosen.id} entry={chosen} onClose={close} />
        ) : (
          open !== '' && (
            <Pane label={`Request ${open}`} title={`Request ${open}`} onClose={close}>
              <p>There is no request {open}. The journal keeps only the newest ones.</p>
            </Pane>
          )
        )}
      </div>
    </>
  )
}

/** How to send the first request. */
function FirstRequest() {
  const { account = 'LOGIN', world } = useApp()
  const { password = 'PASSWORD' } = world ?? {}
  const user = `${account}:${password}`
  const command = formatCurl({ method: 'GET', path: '/api/clients', headers: requiredHeaders, user })
  return (
    <div class="empty first-request">
      <h2>No requests yet</h2>
      <p>
        This simulates the Proxy Reselling Service API. Send requests to <code>{location.origin}/api</code> as{' '}
        <code>{account}</code> with password <code>{password}</code>. They will appear here.
      </p>
      <pre class="code">{command}</pre>
      <Copy class="small" text={command} name="the command" label="Copy command" />
      <p>
        New here? Read <a href="/docs/guide">Getting started</a>, or see all calls in the{' '}
        <a href="/docs">API reference</a>.
      </p>
    </div>
  )
}

/** Hides the current entries. They remain in the journal. */
function clearEntries(): void {
  const { entries, clearedUpTo } = getState()
  setState({ clearedUpTo: entries[0]?.id ?? 0 })
  const undo = async () => {
    setState({ clearedUpTo })
    showToast('done', 'Undone.')
  }
  showToast('done', 'Requests cleared from view. They are still in the journal.', { undo })
}

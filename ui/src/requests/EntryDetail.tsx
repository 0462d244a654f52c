import { dateTime, duration, plural } from '../lib/format.ts'
import type { JournalEntry } from '../lib/types.ts'
import { ChangeLines } from '../parts/ChangeLines.tsx'
import { Json } from '../parts/Json.tsx'
import { StatusBadge } from '../parts/StatusBadge.tsx'
import { useApp } from '../state/store.ts'
import { EntryActions } from './EntryActions.tsx'
import { linesOf } from './linesOf.ts'

/** One request, opened: why it went as it went, what it changed, and every byte of it. */
export function EntryDetail({
  entry,
  isGone,
  onClose,
}: {
  entry: JournalEntry
  isGone: boolean
  onClose: () => void
}) {
  const lines = useApp((state) => state.lines)
  const { id, method, path, operation, status, account, time, durationMs, request, response } = entry
  return (
    <article class="detail" aria-label={`Request ${id}`}>
      <header class="detail-head">
        <h2>
          <StatusBadge status={status} /> {method} <span class="detail-path">{path}</span>
        </h2>
        <button type="button" class="small" onClick={onClose}>
          Close
        </button>
        <p class="muted">
          #{id} · {operation ?? 'no operation of the contract'} · {account ?? 'no account'} ·{' '}
          {dateTime(Date.parse(time))} · {duration(durationMs)}
        </p>
        <EntryActions entry={entry} isGone={isGone} />
      </header>
      {isGone && (
        <p class="callout callout-forced" role="status">
          The journal does not have this request any more; here it is as it was last seen.
        </p>
      )}
      <Why entry={entry} />
      {entry.violations.length > 0 && (
        <section class="callout callout-broken">
          <h3>Breaks the contract</h3>
          <ul>
            {entry.violations.map((violation) => (
              <li key={violation}>{violation}</li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h3>What it changed</h3>
        {entry.change === null ? (
          <p class="muted">Nothing.</p>
        ) : (
          <ChangeLines lines={linesOf(entry, lines)} />
        )}
        {entry.change !== null && (
          <details>
            <summary>The merge patch</summary>
            <Json label="Merge patch" value={entry.change} />
          </details>
        )}
      </section>
      <Message title="Request" headers={request.headers} body={request.body} />
      <Message title="Answer" headers={response.headers} body={response.body} isLost={status === null} />
    </article>
  )
}

/** What the API itself does not say. */
function Why({ entry }: { entry: JournalEntry }) {
  const { reason, forced } = entry
  if (reason === null && entry.case === null) return null
  return (
    <section class={`callout ${forced ? 'callout-forced' : 'callout-why'}`}>
      <h3>
        Why
        {entry.case !== null && (
          <>
            : <code>{entry.case}</code>
          </>
        )}
      </h3>
      <p class="reason">{reason}</p>
      {forced && (
        <p>
          A fault made this answer. <a href="#/control">See the armed faults</a>
        </p>
      )}
    </section>
  )
}

interface MessageProps {
  title: string
  headers: Record<string, string>
  body: unknown
  isLost?: boolean
}

function Message({ title, headers, body, isLost }: MessageProps) {
  return (
    <section>
      <h3>{title}</h3>
      {isLost && <p>The connection was broken; this never reached the client.</p>}
      {body === null ? <p class="muted">No body.</p> : <Json label={`${title}: body`} value={body} />}
      <details>
        <summary>{plural(Object.keys(headers).length, 'header')}</summary>
        <dl class="headers">
          {Object.entries(headers).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  )
}

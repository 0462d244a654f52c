import { hasNoEffect } from '../../../src/service/describeChange.ts'
import { describeEntryChange } from '../lib/describeChange.ts'
import { formatDateTime, formatDuration, pluralize } from '../lib/format.ts'
import type { JournalEntry } from '../lib/types.ts'
import { findProblems, getLabel, getSeverityTone, getTitle } from '../lib/problems.ts'
import { Pane } from '../parts/Pane.tsx'
import { Facts, Json, Prose, Status, getTone } from '../parts/small.tsx'
import { link } from '../state/route.ts'
import { getAccountName, useApp } from '../state/store.ts'
import { EntryActions } from './EntryActions.tsx'
import { breaksContract } from './filterEntries.ts'

/** A request: its status, reason, changes and bodies. */
export function EntryDetail({ entry, onClose }: { entry: JournalEntry; onClose: () => void }) {
  const { id, method, path, operation, status, account, time, reason, request, response } = entry
  const accounts = useApp((state) => state.accounts)
  const name = account === null ? 'unknown' : getAccountName(accounts, account)
  const facts = [
    [
      'Operation',
      operation ? <a href={link('requests', '', { q: operation })}>{operation}</a> : 'Not in the contract',
    ],
    ['Account', account === null || name === account ? name : `${name} (${account})`],
    ['Account clock', `${formatDateTime(Date.parse(time))} UTC`],
    ['Duration', formatDuration(entry.durationMs)],
  ] as const
  return (
    <Pane
      label={`Request ${id}`}
      title={
        <>
          <Status status={status} /> #{id} {method} {path}
        </>
      }
      onClose={onClose}
    >
      <EntryProblems id={id} />
      {(reason ?? entry.case) !== null && (
        <section class={`why ${entry.forced ? '' : getTone(status)}`} aria-label="Reason">
          <p class="reason">
            <b>{reason ?? entry.case}</b>
          </p>
          <code>{entry.case}</code>
        </section>
      )}
      {entry.rewound && <p class="why">A rewind has undone this request.</p>}
      {breaksContract(entry) && (
        <section class="why tone-bad">
          <h3>Contract violations</h3>
          <ul>
            {entry.violations.map((violation) => (
              <li key={violation}>{violation}</li>
            ))}
          </ul>
        </section>
      )}
      {(entry.change !== null || hasNoEffect(entry)) && (
        <section>
          <h3>Changes</h3>
          {hasNoEffect(entry) && <p>Nothing changed.</p>}
          <ul>
            {describeEntryChange(entry).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
      )}
      <EntryActions entry={entry} />
      <Message title="Request" headers={request.headers} body={request.body} />
      <Message title="Response" headers={response.headers} body={response.body} isLost={status === null} />
      <Facts rows={facts} />
    </Pane>
  )
}

/** Maximum number of a problem's requests that are linked */
const maxLinks = 8

/** The problems that a request shows, each with advice and the requests that show it. */
function EntryProblems({ id }: { id: number }) {
  const findings = useApp((state) => state.findings)
  return (
    <>
      {findProblems(findings, id).map((finding, i) => (
        <section
          key={i}
          class={`why ${getSeverityTone(finding)}`}
          aria-label={`Problem: ${getLabel(finding)}`}
        >
          <p>
            <b>{getTitle(finding)}.</b> {finding.message}
          </p>
          <p>
            <Prose text={finding.advice} />
          </p>
          <p class="actions">
            <span>Requests</span>
            {finding.requests.slice(0, maxLinks).map((one) => (
              <a
                key={one.id}
                href={link('requests', String(one.id))}
                aria-current={one.id === id ? 'true' : undefined}
              >
                #{one.id}
              </a>
            ))}
            <a href={link('problems')}>All problems</a>
          </p>
        </section>
      ))}
    </>
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
      {isLost && <p>The connection closed before the client received this response.</p>}
      {body === null ? <p class="muted">No body</p> : <Json label={`${title} body`} value={body} />}
      <details>
        <summary>{pluralize(Object.keys(headers).length, 'header')}</summary>
        <Facts rows={Object.entries(headers)} />
      </details>
    </section>
  )
}

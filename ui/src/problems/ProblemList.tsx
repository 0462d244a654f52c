import { formatDateTime, pluralize } from '../lib/format.ts'
import { getSeverityTone, getTitle, getWorstTone, isWrongCall } from '../lib/problems.ts'
import type { Finding } from '../lib/types.ts'
import { Prose, Status } from '../parts/small.tsx'
import { RewindButton } from '../requests/EntryActions.tsx'
import { breaksContract, isFailed } from '../requests/filterEntries.ts'
import { link } from '../state/route.ts'
import { getAccountName, getVisibleEntries, useApp } from '../state/store.ts'

/** Maximum number of a finding's requests that are listed */
const maxRequests = 6

/** Maximum number of findings that are listed */
const maxFindings = 50

/** Client behavior that would break in production, the worst first. */
export function ProblemList() {
  const state = useApp()
  const { findings } = state
  const all = getVisibleEntries(state)
  const entries = all.filter(({ rewound }) => !rewound)
  const count = entries.length
  const failed = entries.filter(isFailed).length
  const invalid = entries.filter(breaksContract).length
  const isClean = count > 0 && failed + invalid === 0
  return (
    <section class="block" aria-labelledby="problems">
      <h2 id="problems" class={`verdict ${getWorstTone(findings) || (isClean ? 'tone-good' : '')}`}>
        {findings.length > 0
          ? `${pluralize(findings.length, 'problem')} in ${pluralize(count, 'request')}`
          : count > 0
            ? `No problems in ${pluralize(count, 'request')}`
            : all.length > 0
              ? 'No requests since the rewind: run your client again'
              : 'No requests yet'}
      </h2>
      {findings.length === 0 && failed + invalid > 0 && (
        <p>
          {failed > 0 && (
            <a href={link('requests', '', { show: 'failed' })}>{pluralize(failed, 'request')} failed</a>
          )}
          {failed > 0 && invalid > 0 && ', '}
          {invalid > 0 && (
            <a href={link('requests', '', { show: 'contract' })}>{invalid} violated the contract</a>
          )}
          .
        </p>
      )}
      {findings.length === 0 && (
        <p class="muted">
          Mistakes of your client that would cause damage in production appear here, such as an order that is
          placed twice. Faults and <a href="/docs/guide/sweep">sweep</a> provoke them.
        </p>
      )}
      <ul class="findings">
        {findings.slice(0, maxFindings).map((finding, i) => (
          <Problem key={i} finding={finding} />
        ))}
      </ul>
      <p class="muted">
        {findings.length > maxFindings && `and ${findings.length - maxFindings} more. `}
        <a href="/docs/guide/findings">All problems that are recognized</a>
      </p>
    </section>
  )
}

/** A mistake as a sentence, what to do, and the requests that show it. */
function Problem({ finding }: { finding: Finding }) {
  const { severity, requests, advice, account } = finding
  const entries = useApp((state) => state.entries)
  const known = useApp((state) => state.accounts)
  const shown = entries.filter(({ id }) => requests.some((one) => one.id === id))
  const logins = new Set(account === null ? shown.map((entry) => entry.account ?? 'unknown') : [account])
  const first = shown.findLast(({ version, rewound }) => version !== null && !rewound)
  return (
    <li class={`finding ${getSeverityTone(finding)}`}>
      <h3>
        {getTitle(finding)} <span class="mark">{severity}</span>
        {known.length > 1 && (
          <small> {[...logins].map((login) => getAccountName(known, login)).join(', ')}</small>
        )}
      </h3>
      <p>{finding.message}</p>
      <p>
        <b>What to do:</b> <Prose text={advice} /> <a href="/docs/guide/findings">About {finding.finding}</a>
      </p>
      <ol class="shown-requests" aria-label="Requests that show it">
        {requests.slice(0, maxRequests).map(({ id, time, method, path, status }) => (
          <li key={id}>
            <a class="actions" href={link('requests', String(id))}>
              <span>#{id}</span> <Status status={status} /> <b>{method}</b> <span>{path}</span>{' '}
              {requests.length > 1 && isWrongCall(finding, id) && <span class="mark">wrong call</span>}
              <small class="figures" title="Time on the account’s clock">
                {formatDateTime(Date.parse(time)).slice(11)}
              </small>
            </a>
          </li>
        ))}
        {requests.length > maxRequests && <li class="muted">and {requests.length - maxRequests} more</li>}
      </ol>
      {first && (
        <p class="actions">
          <RewindButton entry={first} /> Takes the account back to before #{first.id}, faults included; then
          run your client again.
        </p>
      )}
    </li>
  )
}

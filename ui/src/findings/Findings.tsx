import { findingRules } from '../../../src/journal/findings.ts'
import { plural } from '../lib/format.ts'
import type { Finding } from '../lib/types.ts'
import { useApp } from '../state/store.ts'

/** What the client does that will hurt against the real service. */
export function Findings() {
  const findings = useApp((state) => state.findings)
  return (
    <>
      <div class="title-line">
        <h1>Findings</h1>
        <span class="muted">what your client does that will hurt against the real service</span>
      </div>
      {findings.length === 0 ? (
        <>
          <p class="lead">None so far. This is what is looked for:</p>
          <dl class="looked">
            {Object.entries(findingRules).map(([name, { words }]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{words}</dd>
              </div>
            ))}
          </dl>
        </>
      ) : (
        <ul class="findings">
          {findings.map((one, i) => (
            <OneFinding key={`${one.finding} ${i}`} {...one} />
          ))}
        </ul>
      )}
    </>
  )
}

/** Links to entries: as many as are of use. */
const most = 8

function OneFinding({ finding, account, operation, message, requests }: Finding) {
  return (
    <li class="callout callout-why">
      <h2>
        {finding} <span class="muted">{[operation, account].filter(Boolean).join(' · ')}</span>
      </h2>
      <p class="reason">{message}</p>
      <p class="muted">
        {plural(requests.length, 'request')}:{' '}
        {requests.slice(0, most).map(({ id, method, path }) => (
          <a key={id} href={`#/requests/${id}`} aria-label={`#${id}, ${method} ${path}`}>
            #{id}
          </a>
        ))}
        {requests.length > most && '…'}
      </p>
    </li>
  )
}

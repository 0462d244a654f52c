import { plural } from '../lib/format.ts'
import type { Finding } from '../lib/types.ts'
import { useApp } from '../state/store.ts'

const looked: [string, string][] = [
  ['duplicate-order', 'an order sent again after its answer was lost: it is paid twice'],
  ['throttle-ignored', 'update_list again before the time that the 429 named'],
  ['unsafe-get', 'a GET that changes state, repeated at once, conditional or prefetched'],
  ['password-not-encoded', 'a password that is no base64, or is encoded twice'],
  ['header-missing', 'Accept or Content-Type not sent as the document asks'],
]

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
            {looked.map(([name, what]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{what}</dd>
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

import type { Finding } from '../lib/types.ts'
import { link } from '../state/route.ts'
import { useApp } from '../state/store.ts'

const tones = { high: 'tone-bad', medium: 'tone-warn', low: '' }

/** Requests that show a finding: as many as are of use */
const most = 6

/** What the client does that would cause trouble in production: a rule once, however many accounts break it. */
export function Findings() {
  const findings = useApp((state) => state.findings)
  const found = [...new Set(findings.map(({ finding }) => finding))]
  return (
    <section class="block" aria-labelledby="findings">
      <h2 id="findings">
        Findings <span class="count">{found.length}</span>
      </h2>
      <ul class="findings">
        {found.map((name) => (
          <Rule key={name} name={name} findings={findings.filter(({ finding }) => finding === name)} />
        ))}
      </ul>
      <p class="muted">
        {found.length === 0 && 'None. '}
        <a href="/docs/guide/findings">All findings explained</a>
      </p>
    </section>
  )
}

function Rule({ name, findings }: { name: Finding['finding']; findings: Finding[] }) {
  const [{ severity, message }] = findings as [Finding]
  const entries = useApp((state) => state.entries)
  const requests = findings.flatMap((one) => one.requests)
  const shown = entries.filter(({ id }) => requests.some((request) => request.id === id))
  const accounts = [...new Set([...findings, ...shown].flatMap(({ account }) => account ?? []))]
  return (
    <li class={`finding ${tones[severity]}`}>
      <h3>
        {name} <span class="mark">{severity}</span>
      </h3>
      <p>{message}</p>
      <p class="finding-where">
        <span>
          {accounts.slice(0, most).join(', ')}
          {accounts.length > most && ` and ${accounts.length - most} more accounts`}
        </span>
        {requests.slice(0, most).map(({ id, method, path }) => (
          <a key={id} href={link('requests', String(id))} aria-label={`#${id}, ${method} ${path}`}>
            #{id}
          </a>
        ))}
        {requests.length > most && <span class="muted">and {requests.length - most} more</span>}
        <a href="/docs/guide/findings">Guide: {name}</a>
      </p>
    </li>
  )
}

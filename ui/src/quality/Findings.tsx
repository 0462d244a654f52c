import type { Finding } from '../lib/types.ts'
import { attempt } from '../state/actions.ts'
import { link } from '../state/route.ts'
import { getState, useApp } from '../state/store.ts'
import { chooseAccount } from '../state/sync.ts'

const tones = { high: 'tone-bad', medium: 'tone-warn', low: '' }

/** Maximum number of listed accounts and requests */
const max = 6

/** Client behavior that would break in production, one item per rule. */
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
        {found.length === 0 && 'No findings. '}
        <a href="/docs/guide/findings">See all findings in the guide</a>
      </p>
    </section>
  )
}

function Rule({ name, findings }: { name: Finding['finding']; findings: Finding[] }) {
  const [first] = findings as [Finding]
  const { severity, message } = first
  const entries = useApp((state) => state.entries)
  const requests = findings.flatMap((one) => one.requests)
  const shown = entries.filter(({ id }) => requests.some((request) => request.id === id))
  const accounts = [...new Set([...findings, ...shown].flatMap(({ account }) => account ?? []))]
  return (
    <li class={`finding ${tones[severity]}`}>
      <h3>
        {name} <span class="mark">{severity}</span>
      </h3>
      <p>
        <Linked text={message} account={first.account} />
      </p>
      <p class="finding-where">
        <span>
          {accounts.slice(0, max).join(', ')}
          {accounts.length > max && ` and ${accounts.length - max} more accounts`}
        </span>
        {requests.slice(0, max).map(({ id, method, path }) => (
          <a key={id} href={link('requests', String(id))} aria-label={`#${id}, ${method} ${path}`}>
            #{id}
          </a>
        ))}
        {requests.length > max && <span class="muted">and {requests.length - max} more</span>}
        <a href="/docs/guide/findings">Guide: {name}</a>
      </p>
    </li>
  )
}

/** A message that links each service and invoice to its record. */
function Linked({ text, account }: { text: string; account: string | null }) {
  const choose = () => {
    if (account !== null && account !== getState().account) void attempt(() => chooseAccount(account, true))
  }
  return (
    <>
      {text.split(/((?:service|invoice) \d+)/).map((part, i) => {
        const [kind, id] = part.split(' ')
        if (i % 2 === 0) return part
        return (
          <a key={i} href={link('data', `${kind}s/${id}`)} onClick={choose}>
            {part}
          </a>
        )
      })}
    </>
  )
}

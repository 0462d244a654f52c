import { basic } from '../lib/basic.ts'
import { curl } from '../lib/curl.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import { Section } from '../parts/Section.tsx'
import { useApp } from '../state/store.ts'

/** Everything that a client needs to know, to copy. */
export function Start() {
  const account = useApp((state) => state.account)
  const world = useApp((state) => state.world)
  if (account === undefined || !world)
    return <p class="empty">There is no account. Load a scenario under Control.</p>
  const base = location.origin
  const { password } = world
  const command = curl({
    method: 'GET',
    url: `${base}/api/products`,
    user: `${account}:${password}`,
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
  })
  const facts: [string, string][] = [
    ['Base URL', base],
    ['Login', account],
    ['Password', password],
    ['Authorization', basic(account, password)],
    ...world.tokens.map((token, i): [string, string] => [`API token ${i + 1}`, token]),
  ]
  return (
    <div class="columns">
      <Section title="Connect">
        <dl class="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
                <CopyButton text={value} what={name} />
              </dd>
            </div>
          ))}
        </dl>
        <p class="muted">An API token stands in the password’s place.</p>
      </Section>
      <Section title="A first request" aside={<CopyButton text={command} what="the command" />}>
        <pre class="code" tabindex={0} role="region" aria-label="Command">
          {command}
        </pre>
        <p>
          Or without a terminal: <a href="#/try">send one from here</a>.
        </p>
      </Section>
      <Section title="See something go wrong">
        <ol class="steps">
          <li>
            Load the scenario <code>low-funds</code> under <a href="#/control">Control</a>.
          </li>
          <li>
            Order a product under <a href="#/try/orderService">Try</a>: it is refused.
          </li>
          <li>
            Open the request under <a href="#/requests">Requests</a>: it says why.
          </li>
        </ol>
      </Section>
      <Section title="Read on">
        <ul class="links">
          <li>
            <a href="/docs">The API, operation by operation</a>, to try in place
          </li>
          <li>
            <a href="/docs/admin">The control plane</a>: all that this page does, for programs
          </li>
          <li>
            <a href="/openapi.yaml">openapi.yaml</a>: the contract itself
          </li>
        </ul>
      </Section>
    </div>
  )
}

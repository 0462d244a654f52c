import { basic } from '../lib/basic.ts'
import { usualHeaders } from '../lib/snippets/ApiRequest.ts'
import { snippet } from '../lib/snippets/snippet.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { CopyButton } from '../parts/CopyButton.tsx'
import { LanguageTabs } from '../parts/LanguageTabs.tsx'
import { Section } from '../parts/Section.tsx'
import { loadScenario } from '../state/change.ts'
import { usePreference } from '../state/preference.ts'
import { go } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { firstTests } from './firstTest.ts'

export function Start() {
  return (
    <>
      <h1>Getting started</h1>
      <p class="lead">
        The simulator stands in for the Proxy Reselling Service API and keeps real state between requests.
        Point your client at it, and watch.
      </p>
      <Steps />
    </>
  )
}

/** Everything that a client needs to know, to copy; and what to do next. */
export function Steps() {
  const account = useApp((state) => state.account)
  const world = useApp((state) => state.world)
  const [language] = usePreference('language')
  if (account === undefined || !world)
    return <p class="empty">There is no account. Load a scenario under Control.</p>
  const base = location.origin
  const { password } = world
  const facts: [string, string][] = [
    ['Base URL', base],
    ['Login', account],
    ['Password', password],
    ['Authorization', basic(`${account}:${password}`)],
    ...world.tokens.map((token, i): [string, string] => [`API token ${i + 1}`, token]),
  ]
  const products = { method: 'GET', url: `${base}/api/products`, user: `${account}:${password}` }
  const { file, run } = firstTests[language]
  return (
    <div class="columns start">
      <Section title="1. Send a request" class="start-request">
        <LanguageTabs
          what="A first request"
          code={(one) => snippet(one, { ...products, headers: usualHeaders })}
        />
        <p>
          Or without a terminal: <a href="#/try">send one from here</a>. It appears under{' '}
          <a href="#/requests">Requests</a> at once.
        </p>
      </Section>
      <Section title="2. Write a test" class="start-test">
        <LanguageTabs what="A first test" code={(one) => firstTests[one].code} />
        <p>
          Save it as <code>{file}</code> and run it with a simulator of its own:
        </p>
        <p class="command">
          <code>{run}</code> <CopyButton text={run} what="the command" />
        </p>
        <p class="muted">
          The same command works in CI. With <code>--min-coverage 80</code> before the dashes it fails if
          fewer of the API’s answers were met.
        </p>
      </Section>
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
      <Section title="3. See something go wrong">
        <ol class="steps">
          <li>
            <ActionButton class="small" action={provoke}>
              Load low-funds
            </ActionButton>{' '}
            It leaves half a dollar of credit, and opens the order to send.
          </li>
          <li>
            Send the order under <a href="#/try/orderService?pid=101">Try</a>: it is refused.
          </li>
          <li>
            Open it under <a href="#/requests">Requests</a>: it says why.
          </li>
        </ol>
      </Section>
      <Section title="4. What next">
        <ul class="links">
          <li>
            <a href="#/coverage">Coverage</a>: which answers your client has never met, and how to provoke
            each
          </li>
          <li>
            <a href="#/findings">Findings</a>: what your client does that will hurt against the real service
          </li>
          <li>
            <a href="#/control">Control</a>: faults, the clock, and the readings of what the API’s document
            leaves open
          </li>
          <li>
            <a href="#/world">World</a>: credit, services and invoices, to look at and to change
          </li>
          <li>
            <code>npx proxysim sweep -- {testOf(run)}</code>: your tests once for each thing that can go wrong
          </li>
        </ul>
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

async function provoke(): Promise<void> {
  if (await loadScenario('low-funds')) go('try', 'orderService', { pid: '101' })
}

function testOf(run: string): string {
  return run.slice(run.indexOf('-- ') + 3)
}

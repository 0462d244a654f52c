import { findingRules } from '../../../src/findings/findings.ts'
import { plural } from '../lib/format.ts'
import { usualHeaders } from '../lib/snippets/ApiRequest.ts'
import { snippet } from '../lib/snippets/snippet.ts'
import type { Finding } from '../lib/types.ts'
import { LanguageTabs } from '../parts/LanguageTabs.tsx'
import { useApp } from '../state/store.ts'
import { advice } from './advice.ts'

/** What the client does that will hurt against the real service. */
export function Findings() {
  const findings = useApp((state) => state.findings)
  const names = Object.keys(findingRules) as Finding['finding'][]
  const others = names.filter((name) => !findings.some(({ finding }) => finding === name))
  return (
    <>
      <div class="title-line">
        <h1>Findings</h1>
        <span class="muted">what your client does that will hurt against the real service</span>
      </div>
      {findings.length > 0 && (
        <ul class="findings">
          {findings.map((one, i) => (
            <OneFinding key={`${one.finding} ${i}`} {...one} />
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <>
          <p class="lead">
            {findings.length > 0
              ? 'This is looked for too, and was not found:'
              : 'None so far. This is what is looked for, and how to do it right:'}
          </p>
          <div class="findings">
            {others.map((name) => (
              <Rule key={name} name={name} />
            ))}
          </div>
        </>
      )}
    </>
  )
}

/** Something that is looked for. */
function Rule({ name }: { name: Finding['finding'] }) {
  return (
    <section class="box finding" aria-labelledby={`rule-${name}`}>
      <div>
        <h2 id={`rule-${name}`}>{name}</h2>
        <p>{findingRules[name].words}</p>
      </div>
      <WhatNext finding={name} />
    </section>
  )
}

/** Links to entries: as many as are of use. */
const most = 8

function OneFinding({ finding, severity, account, operation, message, requests }: Finding) {
  return (
    <li class="box finding">
      <div class="callout callout-why">
        <h2>
          {finding} <span class="muted">{[severity, operation, account].filter(Boolean).join(' · ')}</span>
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
      </div>
      <WhatNext finding={finding} />
    </li>
  )
}

function WhatNext({ finding }: { finding: Finding['finding'] }) {
  const user = useApp(({ account, world }) => (world ? `${account}:${world.password}` : undefined))
  const { next, request } = advice[finding]
  return (
    <div class="what-next">
      <h3>What to do</h3>
      <p>{next}</p>
      {request && (
        <LanguageTabs
          what={`${finding}, done right`}
          code={(language) =>
            snippet(language, {
              method: request.method,
              url: location.origin + request.path,
              headers: usualHeaders,
              ...(user !== undefined && { user }),
              ...(request.body && { body: JSON.stringify(request.body) }),
            })
          }
        />
      )}
    </div>
  )
}

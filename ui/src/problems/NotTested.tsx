import type { CoveredResponse } from '../lib/types.ts'
import { pluralize } from '../lib/format.ts'
import { Button } from '../parts/Button.tsx'
import { forceResponse } from '../state/actions.ts'
import { link } from '../state/route.ts'
import { useApp } from '../state/store.ts'

/** The contract's responses, grouped by whether the client has received them. A click triggers one. */
export function NotTested() {
  const coverage = useApp((state) => state.coverage)
  const account = useApp((state) => state.account)
  if (!coverage) return null
  const { covered, total, percent, authentication, operations } = coverage
  const rows = [
    ...(authentication.length > 0 ? [{ operation: '*', responses: authentication }] : []),
    ...operations,
  ]
  const list = (isTested: boolean) => (
    <ul class="operations">
      {rows.map(({ operation, responses }) => {
        const shown = responses.filter(({ hits }) => hits > 0 === isTested)
        if (shown.length === 0) return null
        return (
          <li key={operation}>
            <span>{operation === '*' ? 'Every operation' : operation}</span>
            <span class="responses">
              {shown.map((response) => (
                <Response
                  key={`${response.status} ${response.case}`}
                  operation={operation}
                  response={response}
                  canTrigger={account !== undefined}
                />
              ))}
            </span>
          </li>
        )
      })}
    </ul>
  )
  return (
    <section class="block" aria-labelledby="coverage">
      <h2 id="coverage">
        Not tested yet <span class="count">{total - covered}</span>
      </h2>
      <p class="muted">
        Your client was tested against {covered} of {total} responses ({percent} %).{' '}
        {account === undefined
          ? 'Choose an account to trigger the others.'
          : 'Click an error to return it to the next matching request, or a success to send such a request.'}
      </p>
      {list(false)}
      {covered > 0 && (
        <details open>
          <summary>{pluralize(covered, 'tested response')}</summary>
          {list(true)}
        </details>
      )}
    </section>
  )
}

interface ResponseProps {
  operation: string
  response: CoveredResponse
  canTrigger: boolean
}

function Response({ operation, response: { status, case: name, hits }, canTrigger }: ResponseProps) {
  const label = (
    <>
      {status} {name ?? 'success'} <small>{hits > 0 ? `×${hits}` : ''}</small>
      <span class="unseen">{hits > 0 ? 'times' : ', not tested'}</span>
    </>
  )
  if (name === null && hits === 0)
    return (
      <a class="outcome" href={link('requests', 'new', { operation })}>
        {label}
      </a>
    )
  if (name === null || !canTrigger)
    return <span class={`outcome ${hits > 0 ? 'tone-good' : ''}`}>{label}</span>
  return (
    <Button class={`response ${hits > 0 ? 'tone-good' : ''}`} action={() => forceResponse(operation, name)}>
      {label}
    </Button>
  )
}

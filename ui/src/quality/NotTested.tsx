import type { CoveredResponse } from '../lib/types.ts'
import { provoke } from '../bar/Faults.tsx'
import { Button } from '../parts/Button.tsx'
import { link } from '../state/route.ts'
import { useApp } from '../state/store.ts'

/** Which of the contract's responses the client was tested against; a click provokes one. */
export function NotTested() {
  const coverage = useApp((state) => state.coverage)
  const account = useApp((state) => state.account)
  if (!coverage) return null
  const { covered, total, percent, authentication, operations } = coverage
  const all = { operation: '*', responses: authentication }
  const rows = [...(authentication.length > 0 ? [all] : []), ...operations]
  return (
    <section class="block" aria-labelledby="coverage">
      <h2 id="coverage">
        Not tested yet <span class="count">{total - covered}</span>
      </h2>
      <p class="muted">
        Your client was tested against {covered} of {total} responses ({percent} %).{' '}
        {account === undefined
          ? 'Choose an account to provoke the others.'
          : 'Click one to give it to the next request of that operation.'}
      </p>
      <ul class="operations">
        {rows.map(({ operation, responses }) => (
          <li key={operation}>
            <b>{operation === '*' ? 'every operation' : operation}</b>
            <span class="responses">
              {responses.map((response) => (
                <Response
                  key={`${response.status} ${response.case}`}
                  operation={operation}
                  response={response}
                  canProvoke={account !== undefined}
                />
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface ResponseProps {
  operation: string
  response: CoveredResponse
  canProvoke: boolean
}

function Response({ operation, response: { status, case: name, hits }, canProvoke }: ResponseProps) {
  const kind = `response ${hits > 0 ? 'tone-good' : ''}`
  const words = (
    <>
      {status} {name ?? 'success'} <small>{hits > 0 ? `×${hits}` : ''}</small>
      <span class="unseen">{hits > 0 ? 'times' : ', not tested'}</span>
    </>
  )
  if (name === null)
    return (
      <a class={kind} href={link('requests', 'new', { operation })}>
        {words}
      </a>
    )
  if (!canProvoke) return <span class={kind}>{words}</span>
  return (
    <Button class={kind} action={() => provoke(operation, name)}>
      {words}
    </Button>
  )
}

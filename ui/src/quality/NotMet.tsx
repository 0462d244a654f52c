import { plural } from '../lib/format.ts'
import type { CoverageReport, CoveredResponse } from '../lib/types.ts'
import { provoke } from '../bar/FaultForm.tsx'
import { Button } from '../parts/Button.tsx'
import { link } from '../state/route.ts'
import { useApp } from '../state/store.ts'

type Operation = CoverageReport['operations'][number]

/** Which of the contract's responses the client has met; a click provokes one. */
export function NotMet() {
  const coverage = useApp((state) => state.coverage)
  const account = useApp((state) => state.account)
  if (!coverage) return null
  const { covered, total, percent, authentication, operations } = coverage
  const all = { operation: '*', method: '', path: '', responses: authentication }
  const rows = [...(authentication.length > 0 ? [all] : []), ...operations]
  return (
    <section class="block" aria-labelledby="coverage">
      <h2 id="coverage">
        Not met yet <span class="count">{total - covered}</span>
      </h2>
      <p class="muted">
        Your client met {covered} of {total} responses of the contract ({percent} %).{' '}
        {account === undefined
          ? 'Choose an account to provoke one.'
          : 'Click one: the next request of that operation gets it.'}
      </p>
      <ul class="operations">
        {rows.map((operation) => (
          <li key={operation.operation}>
            <b>{operation.operation === '*' ? 'every operation' : operation.operation}</b>
            <span class="responses">
              {operation.responses.map((response) => (
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
  operation: Operation
  response: CoveredResponse
  canProvoke: boolean
}

function Response({ operation: { operation }, response, canProvoke }: ResponseProps) {
  const { status, case: name, hits } = response
  const words = (
    <>
      {status} {name ?? 'success'}
      {hits > 0 && <small> ×{hits}</small>}
      <span class="unseen">{hits > 0 ? `, met ${plural(hits, 'time')}` : ', not met'}</span>
    </>
  )
  const kind = `response ${hits > 0 ? 'is-met' : ''}`
  if (name === null)
    return (
      <a class={kind} href={link('requests', 'new', { operation })} title={`Send ${operation}`}>
        {words}
      </a>
    )
  if (!canProvoke) return <span class={kind}>{words}</span>
  return (
    <Button
      class={kind}
      title={`Have the next ${operation} get ${name}`}
      action={() => provoke(operation, name)}
    >
      {words}
    </Button>
  )
}

import { isChanged } from '../lib/assumptions.ts'
import type { Assumption } from '../lib/types.ts'
import { Editable } from '../parts/Field.tsx'
import { Prose } from '../parts/small.tsx'
import { patchWorld } from '../state/actions.ts'
import { useApp } from '../state/store.ts'

/** The assumptions, changed ones first, then unconfirmed ones that the client relies on. */
export function Assumptions() {
  const assumptions = useApp((state) => state.assumptions)
  const account = useApp((state) => state.account)
  const rank = (one: Assumption) => (isChanged(one) ? 0 : one.used && !one.confirmed ? 1 : 2)
  const sorted = assumptions.toSorted((a, b) => rank(a) - rank(b))
  return (
    <section class="block" aria-labelledby="assumptions">
      <h2 id="assumptions">Assumptions</h2>
      <p class="muted">
        The API’s documentation leaves these questions open. Your client should work with every answer.{' '}
        {account === undefined && 'Choose an account to change its answers.'}
      </p>
      <ul class="assumptions">
        {sorted.map((one) => (
          <Choices key={one.id} assumption={one} canChange={account !== undefined} />
        ))}
      </ul>
    </section>
  )
}

function Choices({ assumption, canChange }: { assumption: Assumption; canChange: boolean }) {
  const { id, gap, operations, meaning, alternatives, accepts, confirmed, used } = assumption
  const value = String(assumption.value ?? assumption.default)
  const save = (to: string) => patchWorld({ assumptions: { [id]: to } }, `${id} set to ${to}.`)
  return (
    <li>
      <div>
        <b>{id}</b> <small>{operations.join(', ')}</small>
        <p>
          <Prose text={gap} />{' '}
          <span class="muted">
            <Prose text={meaning[value] ?? ''} />
          </span>
        </p>
      </div>
      <div class="interpretation">
        {canChange ? (
          <Editable
            label={id}
            value={value}
            {...(accepts === undefined && { options: [assumption.default, ...alternatives].map(String) })}
            onSave={save}
          />
        ) : (
          value
        )}
        {(confirmed || used) && <small>{confirmed ? 'confirmed' : 'used, unconfirmed'}</small>}
        {isChanged(assumption) && <small> (default: {assumption.default})</small>}
      </div>
    </li>
  )
}

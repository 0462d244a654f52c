import { admin, forAccount } from '../lib/admin.ts'
import type { Fault } from '../lib/types.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { Section } from '../parts/Section.tsx'
import { attempt } from '../state/notices.ts'
import { useApp } from '../state/store.ts'
import { syncWorld } from '../state/sync.ts'
import { FaultForm } from './FaultForm.tsx'
import { faultCount, faultWords, isSpent } from './faultWords.ts'

const none: Fault[] = []

/** Misbehaviour on purpose: the armed faults, and the form for another. */
export function Faults({ query }: { query: string }) {
  const account = useApp((state) => state.account) ?? ''
  const faults = useApp((state) => state.world?.faults ?? none)
  const remove = (path: string, done: string) =>
    attempt(async () => {
      await admin('DELETE', path + forAccount(account))
      await syncWorld()
    }, done)
  return (
    <Section
      title="Faults"
      aside={
        faults.length > 1 && (
          <ActionButton class="small" action={() => remove('/faults', 'No fault is armed.')}>
            Remove all
          </ActionButton>
        )
      }
    >
      {faults.length === 0 && <p class="muted">None is armed: every answer is the API’s own.</p>}
      <ul class="rows" aria-label="Armed faults">
        {faults.map((fault) => (
          <li key={fault.id} class={isSpent(fault) ? 'is-spent' : ''}>
            <span>
              <b>{fault.operation === '*' ? 'every operation' : fault.operation}</b> {faultWords(fault)}{' '}
              <span class="muted">
                {isSpent(fault) ? 'spent: ' : ''}
                {faultCount(fault)}
              </span>
            </span>
            <ActionButton
              class="small"
              aria-label={`Remove fault ${fault.id}`}
              action={() => remove(`/faults/${fault.id}`, `Fault ${fault.id} is gone.`)}
            >
              Remove
            </ActionButton>
          </li>
        ))}
      </ul>
      <FaultForm query={query} />
    </Section>
  )
}

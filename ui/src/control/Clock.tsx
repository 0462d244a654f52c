import { useState } from 'preact/hooks'
import { dateTime } from '../lib/format.ts'
import { Field } from '../parts/Field.tsx'
import { Section } from '../parts/Section.tsx'
import { changeClock } from '../state/change.ts'
import { useApp } from '../state/store.ts'
import { useNow } from '../state/useNow.ts'

const steps: [string, string][] = [
  ['1 hour', 'PT1H'],
  ['1 day', 'P1D'],
  ['1 month', 'P1M'],
]

/** The account's time: it can stand still and be advanced; it never goes back. */
export function Clock() {
  const isFrozen = useApp((state) => state.world?.clock.frozen ?? false)
  const account = useApp((state) => state.account)
  const [own, setOwn] = useState('PT10M')
  const advance = (by: string) => changeClock('POST', '/clock/advance', { by }, `The clock went on by ${by}.`)
  return (
    <Section
      title="Clock"
      aside={
        <button
          type="button"
          onClick={() =>
            void changeClock(
              'PUT',
              '/clock',
              { frozen: !isFrozen },
              isFrozen ? 'The clock runs.' : 'The clock stands still.',
            )
          }
        >
          {isFrozen ? 'Resume' : 'Freeze'}
        </button>
      }
    >
      <p>
        <Reading />{' '}
        <span class="muted">
          UTC, of {account}, {isFrozen ? 'frozen' : 'running'}
        </span>
      </p>
      <div class="actions" role="group" aria-label="Advance the clock">
        {steps.map(([name, by]) => (
          <button type="button" key={by} onClick={() => void advance(by)}>
            + {name}
          </button>
        ))}
      </div>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault()
          void advance(own.trim())
        }}
      >
        <Field label="By another duration (ISO 8601)">
          {(id) => (
            <input
              id={id}
              value={own}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => setOwn(event.currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit">Advance</button>
      </form>
    </Section>
  )
}

function Reading() {
  return <b class="figure">{dateTime(useNow())}</b>
}

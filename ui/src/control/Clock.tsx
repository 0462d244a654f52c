import { useId, useState } from 'preact/hooks'
import { dateTime } from '../lib/format.ts'
import type { Patch } from '../lib/types.ts'
import { ActionButton, submits } from '../parts/ActionButton.tsx'
import { Field } from '../parts/Field.tsx'
import { Refused } from '../parts/Refused.tsx'
import { Section } from '../parts/Section.tsx'
import { changeClock } from '../state/change.ts'
import { useApp } from '../state/store.ts'
import { useNow } from '../state/useNow.ts'

const steps: [string, string][] = [
  ['1 hour', 'PT1H'],
  ['1 day', 'P1D'],
  ['1 month', 'P1M'],
]

/** The account's time: it can stand still, be advanced and be set to a date; it never goes back. */
export function Clock() {
  const id = useId()
  const isFrozen = useApp((state) => state.world?.clock.frozen ?? false)
  const account = useApp((state) => state.account)
  const [refused, setRefused] = useState<string>()
  const change = async (...how: Parameters<typeof changeClock>) => setRefused(await changeClock(...how))
  const toggle = () =>
    change('PUT', '/clock', { frozen: !isFrozen }, isFrozen ? 'The clock runs.' : 'The clock stands still.')
  return (
    <Section
      title="Clock"
      aside={<ActionButton action={toggle}>{isFrozen ? 'Resume' : 'Freeze'}</ActionButton>}
    >
      <p>
        <Reading />{' '}
        <span class="muted">
          UTC, of {account}, {isFrozen ? 'frozen' : 'running'} · <a href="#/world">what falls due</a>
        </span>
      </p>
      <div class="actions" role="group" aria-label="Advance the clock">
        {steps.map(([name, by]) => (
          <ActionButton
            key={by}
            isStep
            action={() => change('POST', '/clock/advance', { by }, advanced(name))}
          >
            + {name}
          </ActionButton>
        ))}
        {refused !== undefined && <Refused id={id} reason={refused} />}
      </div>
      <ClockForm
        label="By another duration (ISO 8601)"
        first="PT10M"
        submit="Advance"
        change={(by) => changeClock('POST', '/clock/advance', { by }, advanced(by))}
      />
      <SetForm />
    </Section>
  )
}

function advanced(by: string): string {
  return `The clock is advanced by ${by}.`
}

/** Sets the clock to a date and time, in UTC; what falls due until then happens. */
function SetForm() {
  const now = useNow()
  return (
    <ClockForm
      label="To a date and time (UTC)"
      isDate
      first={dateTime(now + 86_400_000).slice(0, 10) + 'T00:00'}
      submit="Set"
      change={(at) =>
        changeClock('PUT', '/clock', readDate(at), `The clock is set to ${at.replace('T', ' ')}.`)
      }
    />
  )
}

/** What a date that is not one is, the simulator tells. */
function readDate(text: string): Patch {
  return { now: Number.isNaN(Date.parse(`${text}Z`)) ? text : new Date(`${text}Z`).toISOString() }
}

interface FormProps {
  label: string
  isDate?: boolean
  first: string
  submit: string
  change: (text: string) => Promise<string | undefined>
}

function ClockForm({ label, isDate, first, submit, change }: FormProps) {
  const id = useId()
  const [text, setText] = useState<string>()
  const [refused, setRefused] = useState<string>()
  const value = text ?? first
  const send = async () => setRefused(await change(value.trim()))
  return (
    <form class="inline-form" onSubmit={submits(send)}>
      <Field label={label}>
        {(field) => {
          const common = {
            id: field,
            value,
            'aria-invalid': refused !== undefined,
            ...(refused !== undefined && { 'aria-describedby': id }),
            onInput: (event: InputEvent) => setText((event.currentTarget as HTMLInputElement).value),
          }
          return isDate ? (
            <input type="datetime-local" required {...common} />
          ) : (
            <input autocomplete="off" spellcheck={false} {...common} />
          )
        }}
      </Field>
      <ActionButton type="submit">{submit}</ActionButton>
      {refused !== undefined && <Refused id={id} reason={refused} />}
    </form>
  )
}

function Reading() {
  return <b class="figure">{dateTime(useNow())}</b>
}

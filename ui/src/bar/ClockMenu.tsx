import { useId, useState } from 'preact/hooks'
import { dateTime, isoDuration, numberOf, timeUntil } from '../lib/format.ts'
import { dueOf } from '../lib/due.ts'
import { Button, submits } from '../parts/Button.tsx'
import { Choice, Field, FieldError } from '../parts/Field.tsx'
import { Menu } from '../parts/Menu.tsx'
import { moveClock, setClock, tell } from '../state/actions.ts'
import { useApp } from '../state/store.ts'
import { useNow } from '../state/useNow.ts'
import { ChipText, ChooseAccount } from './AccountMenus.tsx'

export function ClockMenu() {
  const clock = useApp((state) => state.world?.clock)
  const rate = clock?.rate ?? 1
  const state = !clock ? '' : clock.frozen ? ' frozen' : rate === 1 ? '' : ` ×${rate}`
  return (
    <Menu
      name="clock"
      title="Clock"
      width={400}
      class={state ? 'chip is-active' : 'chip'}
      label={
        <>
          <span class="chip-name">clock</span>{' '}
          <span class="chip-value figures">
            {clock ? <Reading /> : '…'}
            {state}
          </span>
        </>
      }
    >
      {clock ? <Clock /> : <ChooseAccount why="Each account has its own clock." />}
    </Menu>
  )
}

function Reading() {
  return <>{dateTime(useNow()).slice(0, 16)}</>
}

const steps = { '+1 h': 'PT1H', '+1 d': 'P1D', '+1 month': 'P1M' }

/** The account's time; it never goes back, but for Undo. */
function Clock() {
  const id = useId()
  const isFrozen = useApp((state) => state.world?.clock.frozen ?? false)
  const rate = useApp((state) => state.world?.clock.rate)
  const now = useNow()
  const [refused, setRefused] = useState<string>()
  const move = async (by: Parameters<typeof moveClock>[0]) => setRefused(await moveClock(by))
  const set = async (...how: Parameters<typeof setClock>) => setRefused(await setClock(...how))
  const rates = [...new Set([1, 60, 3600, 86_400, rate ?? 1])]
  return (
    <>
      <div class="menu-head">
        <h2>
          <span class="figures">{dateTime(now)}</span> UTC
        </h2>
        <Button
          class="small"
          action={() => set({ frozen: !isFrozen }, isFrozen ? 'Clock running.' : 'Clock frozen.')}
        >
          {isFrozen ? 'Resume' : 'Freeze'}
        </Button>
      </div>
      <div class="actions editable" role="group" aria-label="Advance the clock">
        {Object.entries(steps).map(([name, by]) => (
          <Button key={by} isStep action={() => move({ by })}>
            {name}
          </Button>
        ))}
        <FieldError id={id} reason={refused} />
      </div>
      <div class="pair">
        <TimeForm
          label="Advance by (10m, 3h, 2d or ISO 8601)"
          first="10m"
          button="Advance"
          submit={(by) => moveClock({ by: isoDuration(by) })}
        />
        <TimeForm
          label="Set to (UTC)"
          first={`${dateTime(now + 86_400_000).slice(0, 10)} 00:00`}
          button="Set"
          submit={(at) => moveClock({ now: instantOf(at) })}
        />
      </div>
      {rate !== undefined && (
        <Choice
          label="Seconds that pass in a real second"
          value={String(rate)}
          options={rates.map((one) => ({
            value: String(one),
            text: one === 1 ? '1 (real time)' : one.toLocaleString('en'),
          }))}
          onChange={(to) => void set({ rate: numberOf(to) }, `The clock runs at ${to} seconds a second.`)}
        />
      )}
      <NextDue now={now} />
    </>
  )
}

/** `2026-02-01 00:00` in UTC; what isn't a time is left for the simulator to refuse. */
function instantOf(text: string): string {
  const at = Date.parse(/[zZ]$|[+-]\d\d:\d\d$/.test(text) ? text : `${text.replace(' ', 'T')}Z`)
  return Number.isNaN(at) ? text : new Date(at).toISOString()
}

interface FormProps {
  label: string
  first: string
  button: string
  submit: (text: string) => Promise<string | undefined>
}

function TimeForm({ label, first, button, submit }: FormProps) {
  const error = useId()
  const [text, setText] = useState<string>()
  const [refused, setRefused] = useState<string>()
  return (
    <form onSubmit={submits(async () => setRefused(await submit((text ?? first).trim())))}>
      <Field label={label}>
        {(id) => (
          <span class="inline editable">
            <input
              id={id}
              value={text ?? first}
              autocomplete="off"
              spellcheck={false}
              aria-invalid={refused !== undefined}
              {...(refused !== undefined && { 'aria-describedby': error })}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <Button type="submit">{button}</Button>
            <FieldError id={error} reason={refused} />
          </span>
        )}
      </Field>
    </form>
  )
}

const most = 8

function NextDue({ now }: { now: number }) {
  const world = useApp((state) => state.world)
  const timeline = useApp((state) => state.timeline)
  const due = world ? dueOf(world, timeline, now) : []
  return (
    <section aria-labelledby="due">
      <h2 id="due">Due next</h2>
      {due.length === 0 && <p class="muted">Nothing is due.</p>}
      <ul class="lines">
        {due.slice(0, most).map(({ at, what }, i) => (
          <li key={`${at} ${what} ${i}`}>
            <span title={`${dateTime(at)} UTC`}>
              <b>{timeUntil(at - now)}</b> {what}
            </span>
            <Button class="small" aria-label={`Go there: ${what}`} action={() => goThere(at)}>
              Go there
            </Button>
          </li>
        ))}
        {due.length > most && <li class="muted">and {due.length - most} more later</li>}
        {(timeline?.skipped ?? []).slice(-3).map(({ id, reason }) => (
          <li key={id} class="muted">
            Skipped: {reason}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Just behind the moment at which something is due, so that it has happened. */
export async function goThere(at: number): Promise<void> {
  const refused = await moveClock({ now: new Date(at + 1).toISOString() })
  if (refused !== undefined) tell('failed', refused)
}

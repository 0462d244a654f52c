import { useId, useState } from 'preact/hooks'
import { dueOf } from '../lib/due.ts'
import { dateTime, isoDuration, timeUntil } from '../lib/format.ts'
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
  const state = clock?.frozen ? ' frozen' : rate === 1 ? '' : ` ×${rate}`
  return (
    <Menu
      name="clock"
      title="Clock"
      width={400}
      class={state ? 'chip is-active' : 'chip'}
      label={<ChipText name="clock" value={clock ? <Reading state={state} /> : '…'} />}
    >
      {clock ? <Clock /> : <ChooseAccount why="Each account has its own clock." />}
    </Menu>
  )
}

function Reading({ state }: { state: string }) {
  return (
    <span class="figures">
      {dateTime(useNow()).slice(0, 16)}
      {state}
    </span>
  )
}

const steps = { '+1 h': 'PT1H', '+1 d': 'P1D', '+1 month': 'P1M' }
const rates = ['1', '60', '3600', '86400']

/** The account's time; it never goes back, but by Undo. */
function Clock() {
  const error = useId()
  const isFrozen = useApp((state) => state.world?.clock.frozen ?? false)
  const rate = useApp((state) => state.world?.clock.rate)
  const now = useNow()
  const [text, setText] = useState('10m')
  const [refused, setRefused] = useState<string>()
  const move = async (by: Parameters<typeof moveClock>[0]) => setRefused(await moveClock(by))
  const set = async (...how: Parameters<typeof setClock>) => setRefused(await setClock(...how))
  return (
    <>
      <div class="menu-head">
        <h2 class="figures">{dateTime(now)} UTC</h2>
        <Button
          class="small"
          action={() => set({ frozen: !isFrozen }, isFrozen ? 'Clock running.' : 'Clock frozen.')}
        >
          {isFrozen ? 'Resume' : 'Freeze'}
        </Button>
      </div>
      <div class="actions" role="group" aria-label="Advance the clock">
        {Object.entries(steps).map(([name, by]) => (
          <Button key={by} isStep action={() => move({ by })}>
            {name}
          </Button>
        ))}
      </div>
      <form onSubmit={submits(() => move(targetOf(text)))}>
        <Field label="By a duration (10m, 3h, 2d, P1M) or to a date (2026-02-01 08:00), in UTC">
          {(id) => (
            <span class="inline editable">
              <input
                id={id}
                value={text}
                autocomplete="off"
                spellcheck={false}
                aria-invalid={refused !== undefined}
                {...(refused !== undefined && { 'aria-describedby': error })}
                onInput={(event) => setText(event.currentTarget.value)}
              />
              <Button type="submit">Advance</Button>
              <FieldError id={error} reason={refused} />
            </span>
          )}
        </Field>
      </form>
      {rate !== undefined && (
        <Choice
          label="Seconds that pass in a real second"
          value={String(rate)}
          options={rates.includes(String(rate)) ? rates : [String(rate), ...rates]}
          onChange={(to) => void set({ rate: Number(to) }, `Clock rate set to ${to}.`)}
        />
      )}
      <NextDue now={now} />
    </>
  )
}

/** A date, or a duration; what is neither is left for the simulator to refuse. */
function targetOf(text: string): Parameters<typeof moveClock>[0] {
  if (!/^\d{4}-/.test(text)) return { by: isoDuration(text) }
  const hasZone = /(?:[zZ]|[+-]\d\d:\d\d)$/.test(text) || !text.includes(':')
  const at = Date.parse(hasZone ? text : `${text.trim().replace(' ', 'T')}Z`)
  return { now: Number.isNaN(at) ? text : new Date(at).toISOString() }
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
        {due.slice(0, most).map(({ at, what }) => (
          <li key={`${at} ${what}`}>
            <span title={`${dateTime(at)} UTC`}>
              <b>{timeUntil(at - now)}</b> {what}
            </span>
            <Button class="small" aria-label={`Go there: ${what}`} action={() => goThere(at)}>
              Go there
            </Button>
          </li>
        ))}
        {due.length > most && <li class="muted">and {due.length - most} more later</li>}
        {timeline?.skipped.slice(-3).map(({ id, reason }) => (
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

import { dueOf } from '../lib/due.ts'
import { isoDuration } from '../../../src/lib/duration.ts'
import { dateTime, timeUntil } from '../lib/format.ts'
import type { World } from '../lib/types.ts'
import { Button } from '../parts/Button.tsx'
import { Choice, TextForm } from '../parts/Field.tsx'
import { Menu } from '../parts/Menu.tsx'
import { Lines } from '../parts/small.tsx'
import { useNarrow } from '../parts/useWindow.ts'
import { moveClock, setClock, showToast } from '../state/actions.ts'
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
      class={state ? 'chip tone-warn' : 'chip'}
      label={<ChipText name="clock" value={clock ? <Time state={state} /> : 'per account'} />}
    >
      {clock ? <Clock /> : <ChooseAccount why="Each account has its own clock." />}
    </Menu>
  )
}

function Time({ state }: { state: string }) {
  return (
    <span class="figures">
      {dateTime(useNow()).slice(useNarrow() ? 5 : 0, 16)}
      {state}
    </span>
  )
}

const steps = { '+1 h': 'PT1H', '+1 d': 'P1D', '+1 month': 'P1M' }
const rates = ['1', '60', '3600', '86400']

/** The account's time; it never goes back, but by Undo. */
function Clock() {
  const isFrozen = useApp((state) => state.world?.clock.frozen ?? false)
  const rate = String(useApp((state) => state.world?.clock.rate ?? 1))
  const now = useNow()
  return (
    <>
      <div class="menu-head">
        <h2 class="figures">{dateTime(now)} UTC</h2>
        <Button
          class="small"
          action={() => setClock({ frozen: !isFrozen }, isFrozen ? 'Clock running.' : 'Clock frozen.')}
        >
          {isFrozen ? 'Resume' : 'Freeze'}
        </Button>
      </div>
      <div class="actions" role="group" aria-label="Advance the clock">
        {Object.entries(steps).map(([name, by]) => (
          <Button key={by} isStep action={() => moveTo({ by })}>
            {name}
          </Button>
        ))}
      </div>
      <TextForm
        label="Advance by a duration or to a date, in UTC"
        first="10m"
        button="Advance"
        onSubmit={(text) => moveClock(targetOf(text))}
      />
      <small>By 10m, 3h, 2d or ISO 8601; or to a date such as 2026-02-01 08:00 (UTC)</small>
      <Choice
        label="Seconds that pass in a real second"
        value={rate}
        options={rates.includes(rate) ? rates : [rate, ...rates]}
        onChange={(to) => void setClock({ rate: Number(to) }, `Clock rate set to ${to}.`)}
      />
      <NextDue now={now} />
      <PastEvents />
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
      <Lines
        label="Due next"
        lines={due.slice(0, most).map(({ at, what }) => ({
          key: `${at} ${what}`,
          text: `${timeUntil(at - now)} (${dateTime(at)}): ${what}`,
          button: 'Go there',
          label: `Go there: ${what}`,
          action: () => goThere(at),
        }))}
      />
      {due.length > most && <p class="muted">and {due.length - most} more later</p>}
    </section>
  )
}

/** Past events of the timeline, the latest first. */
function PastEvents() {
  const history = useApp(({ world }) => world?.history) ?? []
  const lines = history.length > 0 ? history.slice(-most).toReversed().map(eventText) : ['Nothing yet.']
  return (
    <section aria-labelledby="past-events">
      <h2 id="past-events">Past events</h2>
      <ul class="lines">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  )
}

export function eventText({ at, description, reason }: World['history'][number]): string {
  const skipped = reason === undefined ? '' : ` (skipped: ${reason})`
  return `${dateTime(Date.parse(at))}: ${description}${skipped}`
}

/** Just behind the moment at which something is due, so that it has happened. */
export function goThere(at: number): Promise<void> {
  return moveTo({ now: new Date(at + 1).toISOString() })
}

async function moveTo(by: Parameters<typeof moveClock>[0]): Promise<void> {
  const refused = await moveClock(by)
  if (refused !== undefined) showToast('failed', refused)
}

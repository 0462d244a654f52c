import { useLayoutEffect, useRef } from 'preact/hooks'
import { formatEvent, listDue } from '../lib/due.ts'
import { isoDuration } from '../../../src/lib/duration.ts'
import { formatDateTime, formatTimeUntil } from '../lib/format.ts'
import { Button } from '../parts/Button.tsx'
import { Choice, TextForm } from '../parts/Field.tsx'
import { Menu } from '../parts/Menu.tsx'
import { moveClock, patchWorld, setClock, showRefusal } from '../state/actions.ts'
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
      width={480}
      class={state ? 'chip tone-warn' : 'chip'}
      label={<ChipText name="clock" value={clock ? <Time state={state} /> : 'per account'} />}
    >
      {clock ? <Clock /> : <ChooseAccount hint="Choose an account to see its clock." />}
    </Menu>
  )
}

function Time({ state }: { state: string }) {
  return (
    <span class="figures">
      {formatDateTime(useNow()).slice(0, 16)}
      {state}
    </span>
  )
}

const steps = { '+1 h': 'PT1H', '+1 d': 'P1D', '+1 month': 'P1M' }
const rates = ['1', '60', '3600', '86400']

/** The account's clock. Only Undo moves it back. */
function Clock() {
  const isFrozen = useApp((state) => state.world?.clock.frozen ?? false)
  const rate = String(useApp((state) => state.world?.clock.rate ?? 1))
  const now = useNow()
  return (
    <>
      <div class="menu-head">
        <h2 class="figures">{formatDateTime(now)} UTC</h2>
        <Button
          class="small"
          action={() => setClock({ frozen: !isFrozen }, isFrozen ? 'Clock resumed.' : 'Clock frozen.')}
        >
          {isFrozen ? 'Resume' : 'Freeze'}
        </Button>
      </div>
      <div class="actions" role="group" aria-label="Advance the clock">
        {Object.entries(steps).map(([name, by]) => (
          <Button key={by} isStep action={() => showRefusal(moveClock({ by }))}>
            {name}
          </Button>
        ))}
      </div>
      <TextForm
        label="Advance by a duration or to a UTC date"
        initial="10m"
        button="Advance"
        onSubmit={(text) => moveClock(parseTarget(text))}
      />
      <small>Enter 10m, 3h, 2d, an ISO 8601 duration, or a UTC date such as 2026-02-01 08:00.</small>
      <Renewals />
      <TimeAxis now={now} />
      <Choice
        label="Simulated seconds per real second"
        value={rate}
        options={rates.includes(rate) ? rates : [rate, ...rates]}
        onChange={(to) => void setClock({ rate: Number(to) }, `Clock rate set to ${to}.`)}
      />
    </>
  )
}

/** Whether services are renewed when they fall due. */
function Renewals() {
  const isOn = useApp((state) => state.world?.limits.renewal ?? false)
  const state = isOn ? 'on' : 'off'
  const set = () => patchWorld({ limits: { renewal: !isOn } }, `Renewals are ${isOn ? 'off' : 'on'}.`)
  return (
    <div class="actions">
      <Button role="switch" aria-checked={isOn} action={() => showRefusal(set())}>
        Renewals: {state}
      </Button>
      <small>
        {isOn
          ? 'A service that falls due is invoiced, and suspended if the credit is too low.'
          : 'Nothing happens when a service falls due.'}
      </small>
    </div>
  )
}

/** Parses a date or a duration. Other text is sent unchanged, so that the simulator reports the mistake. */
function parseTarget(text: string): Parameters<typeof moveClock>[0] {
  if (!/^\d{4}-/.test(text)) return { by: isoDuration(text) }
  const hasZone = /(?:[zZ]|[+-]\d\d:\d\d)$/.test(text) || !text.includes(':')
  const at = Date.parse(hasZone ? text : `${text.trim().replace(' ', 'T')}Z`)
  return { now: Number.isNaN(at) ? text : new Date(at).toISOString() }
}

/** Numbers of past and coming changes that are listed */
const [maxPast, maxDue] = [20, 20]

/** Past and coming changes on one axis, with the present between them. */
function TimeAxis({ now }: { now: number }) {
  const world = useApp((state) => state.world)
  const timeline = useApp((state) => state.timeline)
  const present = useRef<HTMLLIElement>(null)
  useLayoutEffect(() => present.current?.scrollIntoView({ block: 'center' }), [world?.history])
  const due = world ? listDue(world, timeline, now) : []
  const past = world?.history ?? []
  return (
    <section aria-labelledby="axis">
      <h2 id="axis">What time changes</h2>
      <ol class="axis" tabindex={0} aria-label="Past and coming changes">
        {past.slice(-maxPast).map((event) => (
          <li
            key={`${event.at} ${event.id}`}
            class={event.reason === undefined ? 'is-past' : 'is-past tone-warn'}
          >
            <time>{formatDateTime(Date.parse(event.at)).slice(0, 16)}</time>
            <span>{formatEvent(event)}</span>
          </li>
        ))}
        <li class="is-now" ref={present}>
          <b>Now</b>
          {past.length === 0 && due.length === 0 && <span class="muted">Nothing is scheduled.</span>}
        </li>
        {due.slice(0, maxDue).map(({ at, text }) => (
          <li key={`${at} ${text}`}>
            <time>{formatDateTime(at).slice(0, 16)}</time>
            <span>
              <b>{formatTimeUntil(at - now)}</b> {text}
            </span>
            <Button class="small" aria-label={`Advance to ${text}`} action={() => advanceTo(at)}>
              Advance
            </Button>
          </li>
        ))}
        {due.length > maxDue && <li class="muted">and {due.length - maxDue} more</li>}
      </ol>
    </section>
  )
}

/** Advances the clock to just after a change is due, so that it is applied. */
function advanceTo(at: number): Promise<boolean> {
  return showRefusal(moveClock({ now: new Date(at + 1).toISOString() }))
}

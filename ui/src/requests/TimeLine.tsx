import { useMemo } from 'preact/hooks'
import { lineText } from '../lib/describeChange.ts'
import { dueOf } from '../lib/due.ts'
import { dateTime, money, timeUntil } from '../lib/format.ts'
import { isObject } from '../lib/json.ts'
import type { JournalEntry } from '../lib/types.ts'
import { Button } from '../parts/Button.tsx'
import { closeMenu, Menu } from '../parts/Menu.tsx'
import { useNarrow } from '../parts/useNarrow.ts'
import { isRewound, rewind } from '../state/actions.ts'
import { link } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { useNow } from '../state/useNow.ts'
import { goThere } from '../bar/ClockMenu.tsx'
import { linesOf } from './linesOf.ts'

const height = 36
const edge = 4

interface Step {
  entry: JournalEntry
  /** The credit after it */
  credit: number
  /** From the line's top, in pixels */
  y: number
}

/**
 * The account's time as a line: the credit step by step with each change before now, then what is due. Changes stand in
 * their order, as a frozen clock gives all of them one time.
 */
export function TimeLine() {
  const account = useApp((state) => state.account)
  const world = useApp((state) => state.world)
  const all = useApp((state) => state.entries)
  const rewound = useApp((state) => state.rewound)
  const timeline = useApp((state) => state.timeline)
  const now = useNow()
  const isNarrow = useNarrow()
  const changes = useMemo(
    () =>
      all
        .filter((entry) => entry.account === account && entry.change !== null && !isRewound(entry, rewound))
        .slice(0, isNarrow ? 8 : 24)
        .toReversed(),
    [all, account, rewound, isNarrow],
  )
  if (!world) return null
  const due = dueOf(world, timeline, now)
  const steps = stepsOf(changes, world.credit)
  const start = creditBefore(changes[0]) ?? steps[0]?.credit ?? world.credit
  const share = (i: number) => ((i + 1) / (steps.length + 1)) * 100
  const line = [
    `M0 ${yOf(start, start, steps, world.credit)}`,
    ...steps.map(({ y }, i) => `H${share(i)} V${y}`),
    'H100',
  ].join(' ')
  const first = steps[0]?.entry
  return (
    <section class="timeline" aria-label="Credit, changes and what is due">
      <p class="timeline-credit">
        <span class="muted">credit</span> <b>{money(world.credit)}</b>
      </p>
      <div class="timeline-past">
        <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" aria-hidden="true">
          <path d={line} vector-effect="non-scaling-stroke" stroke-width="1.5" />
        </svg>
        {steps.map((step, i) => (
          <Mark key={step.entry.id} step={step} left={share(i)} />
        ))}
        {first && <small class="timeline-from">{dateTime(Date.parse(first.time)).slice(5, 16)}</small>}
      </div>
      <p class="timeline-now">
        <small class="figures">now {dateTime(now).slice(5, 16)}</small>
      </p>
      <ul class="timeline-due" aria-label="Due next">
        {due.slice(0, isNarrow ? 1 : 3).map(({ at, what }, i) => (
          <li key={`${at} ${i}`}>
            <Button
              class="small"
              title={`Advance the clock to ${dateTime(at)} UTC: ${what}`}
              action={() => goThere(at)}
            >
              <b>{timeUntil(at - now)}</b> <span>{what}</span>
            </Button>
          </li>
        ))}
        {due.length === 0 && <li class="muted">nothing due</li>}
      </ul>
    </section>
  )
}

/** A change on the line: what it was, and the way back to before it. */
function Mark({ step: { entry, credit, y }, left }: { step: Step; left: number }) {
  const words = linesOf(entry).map(lineText).join(', ')
  const title = `#${entry.id} ${entry.operation ?? entry.path}: ${words}`
  return (
    <span class="mark-place" style={{ left: `${left}%`, top: `${y}px` }}>
      <Menu name={`change-${entry.id}`} title={title} isButtonTitled class="mark-button" label="" width={300}>
        <p>
          <b>
            #{entry.id} {entry.operation}
          </b>{' '}
          {words}
        </p>
        <p class="muted">Credit {money(credit)} after it</p>
        <div class="actions">
          <a class="button small" href={link('requests', String(entry.id))} onClick={closeMenu}>
            Open
          </a>
          <Button class="small" action={() => rewind(entry)}>
            Rewind to before this
          </Button>
        </div>
      </Menu>
    </span>
  )
}

function creditOf(patch: unknown): number | undefined {
  const credit = isObject(patch) ? patch['credit'] : undefined
  return typeof credit === 'number' ? credit : undefined
}

function creditBefore(entry: JournalEntry | undefined): number | undefined {
  return creditOf(entry?.before)
}

/** The credit after each change; what none of them says is as it was. */
function stepsOf(changes: readonly JournalEntry[], credit: number): Step[] {
  const known = changes.find((entry) => creditOf(entry.change) !== undefined)
  let last = creditBefore(known) ?? creditOf(known?.change) ?? credit
  const steps = changes.map((entry) => {
    last = creditOf(entry.change) ?? last
    return { entry, credit: last, y: 0 }
  })
  for (const step of steps) step.y = yOf(step.credit, creditBefore(known) ?? last, steps, credit)
  return steps
}

function yOf(credit: number, start: number, steps: readonly { credit: number }[], now: number): number {
  const all = [start, now, ...steps.map((step) => step.credit)]
  const [low, high] = [Math.min(...all), Math.max(...all)]
  return high === low ? height / 2 : edge + ((high - credit) / (high - low)) * (height - 2 * edge)
}

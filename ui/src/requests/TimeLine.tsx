import { useMemo } from 'preact/hooks'
import { linesOf } from '../lib/describeChange.ts'
import { dueOf } from '../lib/due.ts'
import { dateTime, money, timeUntil } from '../lib/format.ts'
import { isObject } from '../lib/json.ts'
import type { JournalEntry } from '../lib/types.ts'
import { Button } from '../parts/Button.tsx'
import { closeMenu, Menu } from '../parts/Menu.tsx'
import { useNarrow } from '../parts/useWindow.ts'
import { rewind } from '../state/actions.ts'
import { link } from '../state/route.ts'
import { useApp } from '../state/store.ts'
import { useNow } from '../state/useNow.ts'
import { goThere } from '../bar/ClockMenu.tsx'

const height = 36
const edge = 4

interface MarkProps {
  entry: JournalEntry
  /** The credit after it */
  credit: number
  /** Percent */
  left: number
  /** Pixels */
  top: number
}

/**
 * The account's time as a line: the credit step by step with each change before now, then what is due. Changes stand in
 * their order, as a frozen clock gives all of them one time.
 */
export function TimeLine() {
  const { account, world, entries: all, timeline } = useApp()
  const now = useNow()
  const isNarrow = useNarrow()
  const changes = useMemo(
    () =>
      all
        .filter((entry) => entry.account === account && entry.change !== null && !entry.rewound)
        .slice(0, isNarrow ? 8 : 24)
        .toReversed(),
    [all, account, isNarrow],
  )
  if (!world) return null
  const due = dueOf(world, timeline, now)
  // What no change says is as it was.
  const start =
    creditOf(changes[0]?.before) ??
    creditOf(changes.find((one) => creditOf(one.change) !== undefined)?.change) ??
    world.credit
  let credit = start
  const steps = changes.map((entry) => ({ entry, credit: (credit = creditOf(entry.change) ?? credit) }))
  const amounts = [start, world.credit, ...steps.map((step) => step.credit)]
  const [low, high] = [Math.min(...amounts), Math.max(...amounts)]
  const y = (amount: number) =>
    high === low ? height / 2 : edge + ((high - amount) / (high - low)) * (height - 2 * edge)
  const x = (i: number) => ((i + 1) / (steps.length + 1)) * 100
  const line = [
    `M0 ${y(start)}`,
    ...steps.map((step, i) => `H${x(i)} V${y(step.credit)}`),
    'H100',
    `V${y(world.credit)}`,
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
          <Mark key={step.entry.id} {...step} left={x(i)} top={y(step.credit)} />
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
function Mark({ entry, credit, left, top }: MarkProps) {
  const words = linesOf(entry).join(', ')
  const title = `#${entry.id} ${entry.operation ?? entry.path}: ${words}`
  return (
    <span class="mark-place" style={{ left: `${left}%`, top: `${top}px` }}>
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

import { advanceTo, formatEvent } from '../bar/ClockMenu.tsx'
import { listDue, type DueChange } from '../lib/due.ts'
import { formatDateTime, formatMoney, formatTimeUntil } from '../lib/format.ts'
import { Button } from '../parts/Button.tsx'
import { openMenu } from '../parts/Menu.tsx'
import { useNarrow } from '../parts/useWindow.ts'
import { useApp } from '../state/store.ts'
import { useNow } from '../state/useNow.ts'

/** The account's credit, its next changes (a click advances the clock to one), and its last event. */
export function DueLine() {
  const { world, timeline } = useApp()
  const now = useNow()
  const max = useNarrow() ? 1 : 3
  const due = world ? groupByTime(listDue(world, timeline, now), now) : []
  const past = world?.history.at(-1)
  return (
    <section class="due-line" aria-label="Credit and upcoming changes">
      <p>
        <span class="muted">Credit</span> <b class="figures">{world && formatMoney(world.credit)}</b>
      </p>
      {world && due.length === 0 && <span class="muted">Nothing is scheduled</span>}
      <ul class="due-list">
        {due.slice(0, max).map(({ at, text }) => (
          <li key={at}>
            <Button
              class="small"
              title={`Advance the clock to ${formatDateTime(at)} UTC: ${text}`}
              action={() => advanceTo(at)}
            >
              <b>{formatTimeUntil(at - now)}</b> <span>{text}</span>
            </Button>
          </li>
        ))}
      </ul>
      {due.length > max && (
        <button type="button" class="link" onClick={() => openMenu('clock')}>
          {due.length - max} more
        </button>
      )}
      {past && max > 1 && (
        <button type="button" class="small quiet" onClick={() => openMenu('clock')}>
          <span class="muted">Last event {formatEvent(past)}</span>
        </button>
      )}
    </section>
  )
}

/** Merges entries that show the same time. */
function groupByTime(due: readonly DueChange[], now: number): DueChange[] {
  const groups: Record<string, DueChange[]> = {}
  for (const one of due) (groups[formatTimeUntil(one.at - now)] ??= []).push(one)
  return Object.values(groups).map((group) => {
    const [{ at, text }] = group.toReversed() as [DueChange]
    return { at, text: group.length === 1 ? text : `${text} and ${group.length - 1} more` }
  })
}

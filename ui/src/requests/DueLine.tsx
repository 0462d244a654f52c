import { eventText, goThere } from '../bar/ClockMenu.tsx'
import { dueOf, type Due } from '../lib/due.ts'
import { dateTime, money, timeUntil } from '../lib/format.ts'
import { Button } from '../parts/Button.tsx'
import { openMenu } from '../parts/Menu.tsx'
import { useNarrow } from '../parts/useWindow.ts'
import { useApp } from '../state/store.ts'
import { useNow } from '../state/useNow.ts'

/** The account's credit, what is due next (a click advances the clock to it), and what happened last. */
export function DueLine() {
  const { world, timeline } = useApp()
  const now = useNow()
  const max = useNarrow() ? 1 : 3
  const due = world ? atOnce(dueOf(world, timeline, now), now) : []
  const past = world?.history.at(-1)
  return (
    <section class="due-line" aria-label="Credit and what is due">
      <p>
        <span class="muted">Credit</span> <b class="figures">{world && money(world.credit)}</b>
      </p>
      {world && due.length === 0 && <span class="muted">nothing is due</span>}
      <ul class="due-list">
        {due.slice(0, max).map(({ at, what }) => (
          <li key={at}>
            <Button
              class="small"
              title={`Advance the clock to ${dateTime(at)} UTC: ${what}`}
              action={() => goThere(at)}
            >
              <b>{timeUntil(at - now)}</b> <span>{what}</span>
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
          <span class="muted">Last {eventText(past)}</span>
        </button>
      )}
    </section>
  )
}

/** One entry for all that shows the same time. */
function atOnce(due: readonly Due[], now: number): Due[] {
  const groups: Record<string, Due[]> = {}
  for (const one of due) (groups[timeUntil(one.at - now)] ??= []).push(one)
  return Object.values(groups).map((group) => {
    const [{ at, what }] = group.toReversed() as [Due]
    return { at, what: group.length === 1 ? what : `${what} and ${group.length - 1} more` }
  })
}

import { dateTime, plural, timeUntil } from '../lib/format.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { changeClock } from '../state/change.ts'
import { tell } from '../state/notices.ts'
import { useReadOnly, useWorld } from '../state/pastWorld.ts'
import { useNow } from '../state/useNow.ts'
import { dueOf, type Due } from './dueOf.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const ticks: [string, number][] = [
  ['now', 0],
  ['1 min', minute],
  ['1 h', hour],
  ['1 day', day],
  ['1 month', 30 * day],
  ['1 year', 365 * day],
]

const lanes: Record<Due['kind'], string> = { session: 'Sessions', update: 'IP lists', service: 'Services' }

/** So many of those to come are named below the picture. */
const named = 3

/** The account's clock and what falls due by it: minutes, days and months ahead on one line, each as wide. */
export function DuePicture() {
  const due = useWorld((world) => world)
  const now = useNow()
  const isReadOnly = useReadOnly()
  if (!due) return null
  const all = dueOf(due, now)
  const ahead = all.filter(({ at }) => at > now)
  const overdue = all.length - ahead.length
  const moments = momentsOf(ahead)
  return (
    <figure class="picture">
      <figcaption>
        The clock and what falls due <span class="muted">{dateTime(now)} UTC</span>
      </figcaption>
      <div class="due">
        {(Object.keys(lanes) as Due['kind'][]).map((kind) => (
          <div class="due-lane" key={kind}>
            <span class="muted">{lanes[kind]}</span>
            <span class="due-line">
              {all
                .filter((one) => one.kind === kind)
                .slice(0, 200)
                .map(({ at, what }) => (
                  <span
                    key={what}
                    class={`due-mark due-${kind} ${at <= now ? 'is-over' : ''}`}
                    title={`${what}, ${at <= now ? 'overdue' : timeUntil(at - now)}`}
                    style={{ left: `${shareOf(at - now) * 100}%` }}
                  />
                ))}
            </span>
          </div>
        ))}
        <div class="due-lane due-ticks muted" aria-hidden="true">
          <span />
          <span class="due-line">
            {ticks.map(([name, ms]) => (
              <span key={name} style={{ left: `${shareOf(ms) * 100}%` }}>
                {name}
              </span>
            ))}
          </span>
        </div>
      </div>
      <ul class="due-next">
        {moments.slice(0, named).map(({ at, what, more }) => (
          <li key={what}>
            <span>
              {timeUntil(at - now)}: {what}
              {more > 0 && ` and ${more} more`}
            </span>
            {!isReadOnly && (
              <ActionButton
                class="small quiet"
                aria-label={`Go there: ${what}`}
                action={() => advanceTo(at, what)}
              >
                Go there
              </ActionButton>
            )}
          </li>
        ))}
        {ahead.length === 0 && <li class="muted">Nothing falls due.</li>}
        {(moments.length > named || overdue > 0) && (
          <li class="muted">
            {[
              moments.length > named && `and ${moments.length - named} more later`,
              overdue > 0 && `${plural(overdue, 'service')} overdue`,
            ]
              .filter(Boolean)
              .join(', ')}
          </li>
        )}
      </ul>
    </figure>
  )
}

/** What falls due within a minute is told once. */
function momentsOf(due: readonly Due[]): (Due & { more: number })[] {
  const moments: (Due & { more: number })[] = []
  for (const one of due) {
    const last = moments.at(-1)
    if (last && one.at - last.at < minute) {
      last.at = one.at
      last.more++
    } else moments.push({ ...one, more: 0 })
  }
  return moments
}

async function advanceTo(at: number, what: string): Promise<void> {
  const refused = await changeClock('PUT', '/clock', { now: new Date(at).toISOString() }, `Now ${what}.`)
  if (refused !== undefined) tell('failed', refused)
}

/** Where a time ahead stands, 0 to 1: each step between two ticks is as wide. */
function shareOf(ms: number): number {
  if (ms <= 0) return 0
  const longest = ticks.at(-1)?.[1] ?? 1
  const steps = ticks.length - 1
  const at = ticks.findIndex(([, tick]) => tick >= Math.min(ms, longest))
  const [low, high] = [ticks[at - 1]?.[1] ?? 0, ticks[at]?.[1] ?? 1]
  const within = low === 0 ? ms / high : Math.log(Math.min(ms, longest) / low) / Math.log(high / low)
  return (at - 1 + within) / steps
}

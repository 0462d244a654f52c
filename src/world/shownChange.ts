import { type Instant, readClock } from './time.ts'
import type { TimelineEntry, World, WorldChange } from './World.ts'

/** A change in the form of `PATCH /accounts/{login}` and of scenarios. */
export type ShownChange = Readonly<Record<string, unknown>>

/** Converts a change to the form that `PATCH /accounts/{login}` and scenarios accept: the clock becomes `{ now, frozen, rate }`. */
export function toShownChange(patch: WorldChange, real: Instant): ShownChange {
  const { clock, origin, ...shown } = patch
  if (clock) return { ...shown, clock: readClock(clock as World['clock'], real) }
  return origin === undefined ? patch : shown
}

/** The timeline entries, soonest first. */
export function sortedEntries({ timeline }: World): ({ id: number } & TimelineEntry)[] {
  return [...timeline.entries()]
    .toSorted(([, a], [, b]) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map(([id, entry]) => ({ id, ...entry }))
}

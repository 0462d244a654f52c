import { applyPatch } from './change.ts'
import { getFaults } from './faults.ts'
import { type Instant, readClock } from './time.ts'
import type { TimelineEntry, World, WorldChange } from './World.ts'

/** A change in the form of `PATCH /accounts/{login}` and of scenarios. */
export type ShownChange = Readonly<Record<string, unknown>>

/** The parts whose shown form differs from their stored form. */
const convertedParts = ['clock', 'faults', 'faultCounts', 'timeline', 'history', 'origin']

/** Whether a change is shown in its stored form. */
export function isShownAsStored(patch: WorldChange): boolean {
  return !convertedParts.some((part) => Object.hasOwn(patch, part))
}

/**
 * Converts a change to the form that `PATCH /accounts/{login}` and scenarios accept: faults, timeline and history become
 * complete lists, and the clock becomes `{ now, frozen, rate }`.
 * @param after the world after the change
 */
export function toShownChange(patch: WorldChange, after: World, real: Instant): ShownChange {
  if (isShownAsStored(patch)) return patch
  const { clock, faults, faultCounts, timeline, history, origin: _origin, ...shown } = patch
  return {
    ...shown,
    ...(clock !== undefined && { clock: readClock(after.clock, real) }),
    ...((faults ?? faultCounts) && { faults: getFaults(after) }),
    ...(timeline !== undefined && { timeline: sortedEntries(after) }),
    ...(history !== undefined && { history: [...after.history.values()] }),
  }
}

/** The timeline entries, soonest first. */
export function sortedEntries({ timeline }: World): ({ id: number } & TimelineEntry)[] {
  return [...timeline.entries()]
    .toSorted(([, a], [, b]) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map(([id, entry]) => ({ id, ...entry }))
}

/** Converts consecutive changes of a world to their shown form. */
export function toShownChanges(
  before: World | undefined,
  patches: readonly (WorldChange | null)[],
  real: Instant,
): (ShownChange | null)[] {
  if (!before || patches.every((patch) => !patch || isShownAsStored(patch))) return [...patches]
  let world = before
  return patches.map((patch) => {
    if (!patch) return null
    world = applyPatch(world, patch)
    return toShownChange(patch, world, real)
  })
}

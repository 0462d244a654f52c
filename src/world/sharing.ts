import { isObject } from './mergePatch.ts'
import type { World } from './World.ts'

/*
 * Worlds that begin alike, and a world and its copies, share what they have in common until one of them changes it: ten
 * thousand accounts take a tenth of the room and are made in a tenth of the time, and a snapshot of 100,000 services
 * keeps nobody waiting (docs/decisions/0020). Records need no care, as a change replaces them (`applyChange`); the map
 * that holds them is copied before it is changed for the first time.
 */

const shared = new WeakSet<object>()

/** A copy of the world as it is now, at the cost of a few fields: what either changes later, it changes for itself. */
export function copyWorld(world: World): World {
  for (const part of Object.values(world)) if (isObject(part)) shared.add(part)
  return { ...world }
}

/** Gives a world parts of its own for those that are about to be changed. */
export function unshare(world: World, change: object): void {
  const parts = world as unknown as Record<string, unknown>
  for (const key of Object.keys(change)) {
    const part = parts[key]
    if (isObject(part) && shared.has(part)) parts[key] = { ...part }
  }
}

import { isObject } from './mergePatch.ts'
import type { World } from './World.ts'

/*
 * Accounts that begin alike share what they have in common until one of them changes it: ten thousand of them take a
 * tenth of the room and are made in a tenth of the time (docs/decisions/0020). Records need no care, as a change
 * replaces them (`applyChange`); what a world keeps them in is copied before it is changed for the first time.
 */

const shared = new WeakSet<object>()

/** Another world with the same parts. */
export function sharing(world: World): World {
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

import { isObject } from './mergePatch.ts'
import type { World } from './World.ts'

/*
 * Copy-on-write for worlds. Accounts of the same scenario, and a world and its copies, share their parts until one of
 * them changes: ten thousand accounts take a tenth of the memory and of the time, and a snapshot of 100,000 services
 * doesn't block (docs/decisions/0020). Records need no tracking, since a change replaces them (`applyChange`); the map
 * that holds them is copied before its first change.
 */

const shared = new WeakSet<object>()

/** A copy-on-write copy, which costs a few fields: later changes to either world don't affect the other. */
export function copyWorld(world: World): World {
  for (const part of Object.values(world)) if (isObject(part)) shared.add(part)
  return { ...world }
}

/** Whether a part belongs to several worlds, and therefore never changes. */
export function isShared(part: object): boolean {
  return shared.has(part)
}

/** Gives the world its own copies of the shared parts that a change is about to touch. */
export function unshare(world: World, change: object): void {
  const parts = world as unknown as Record<string, unknown>
  for (const key of Object.keys(change)) {
    const part = parts[key]
    if (isObject(part) && shared.has(part)) parts[key] = { ...part }
  }
}

import { fraction } from '../world/chance.ts'
import { mostCounted } from '../world/numbers.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Fault, World } from '../world/World.ts'

/** The parts of a request that a fault can match. */
interface Matchable {
  operation: string
  path: Readonly<Record<string, string>>
  body: unknown
}

/** The fault that strikes, and all faults with updated counters. */
interface Selection {
  fault: Fault | undefined
  /** undefined if no counter changed */
  faults: Fault[] | undefined
}

/** Spent faults are kept for inspection, the oldest dropped first. */
export const maxSpent = 20

/**
 * Finds the first fault that strikes a request, and updates the counters. Both happen in one synchronous call, so
 * concurrent requests can't share a strike. Cost and size of the change depend on the armed faults, as only the last
 * spent ones are kept.
 */
export function selectFault({ faults, seed }: World, request: Matchable): Selection {
  if (faults.length === 0) return { fault: undefined, faults: undefined }
  let struck: Fault | undefined
  const moved = new Map<Fault, Fault>()
  for (const fault of faults) {
    if (isSpent(fault) || !matches(fault, request)) continue
    const strikes = fault.seen >= (fault.after ?? 0) && isDrawn(fault, seed)
    const count = (before: number): number => Math.min(before + 1, mostCounted)
    const next = { ...fault, seen: count(fault.seen), used: strikes ? count(fault.used) : fault.used }
    moved.set(fault, next)
    if (!strikes) continue
    struck = next
    break
  }
  if (moved.size === 0) return { fault: undefined, faults: undefined }
  return { fault: struck, faults: withoutOldSpent(faults.map((fault) => moved.get(fault) ?? fault)) }
}

/** Whether a fault applies to a request: same operation, and everything that it names in path and body. */
function matches({ operation, match }: Fault, request: Matchable): boolean {
  if (operation !== '*' && operation !== request.operation) return false
  if (
    match?.path &&
    !Object.entries(match.path).every(([name, value]) => request.path[name] === String(value))
  )
    return false
  return match?.body === undefined || contains(request.body, match.body)
}

function contains(value: unknown, part: unknown): boolean {
  if (isObject(part))
    return (
      isObject(value) &&
      Object.entries(part).every(([key, item]) => Object.hasOwn(value, key) && contains(value[key], item))
    )
  if (Array.isArray(part))
    return (
      Array.isArray(value) &&
      part.length === value.length &&
      part.every((item, i) => contains(value[i], item))
    )
  return value === part
}

function withoutOldSpent(faults: Fault[]): Fault[] {
  let excess = faults.reduce((count, fault) => count + (isSpent(fault) ? 1 : 0), -maxSpent)
  return excess <= 0 ? faults : faults.filter((fault) => !isSpent(fault) || excess-- <= 0)
}

/** Whether a fault has struck for the last time. */
export function isSpent({ times, used }: Fault): boolean {
  return times !== undefined && used >= times
}

/** Drawn by seed and count, so that runs are reproducible. */
function isDrawn({ id, probability, seen }: Fault, seed: number): boolean {
  return probability === undefined || fraction([seed, 'fault', id, seen]) < probability
}

import { fraction } from '../world/chance.ts'
import { mostCounted } from '../world/counting.ts'
import type { Fault, World } from '../world/World.ts'
import { matches, type Matchable } from './matches.ts'

/** The fault that strikes, and all faults with their counters moved on. */
export interface Selection {
  fault: Fault | undefined
  /** undefined: no counter moved */
  faults: Fault[] | undefined
}

/**
 * Finds the first fault that strikes a request, and counts. To select and to use up is one step: nothing else can
 * come between, as both are in one synchronous call.
 */
export function selectFault({ faults, seed }: World, asked: Matchable): Selection {
  if (faults.length === 0) return { fault: undefined, faults: undefined }
  let struck: Fault | undefined
  let moved = false
  const counted = faults.map((fault) => {
    if (struck || isSpent(fault) || !matches(fault, asked)) return fault
    moved = true
    const strikes = fault.seen >= (fault.after ?? 0) && isDrawn(fault, seed)
    const count = (before: number): number => Math.min(before + 1, mostCounted)
    const next = { ...fault, seen: count(fault.seen), used: strikes ? count(fault.used) : fault.used }
    if (strikes) struck = next
    return next
  })
  return { fault: struck, faults: moved ? counted : undefined }
}

/** Whether a fault has struck as often as it was told to. */
export function isSpent({ times, used }: Fault): boolean {
  return times !== undefined && used >= times
}

/** By the seed and the count, so that the same run draws the same lots. */
function isDrawn({ id, probability, seen }: Fault, seed: number): boolean {
  return probability === undefined || fraction([seed, 'fault', id, seen]) < probability
}

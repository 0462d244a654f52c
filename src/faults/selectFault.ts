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

/** Spent faults that are kept, so that one can see what became of them; the first of them go when there are more. */
export const mostSpent = 20

/**
 * Finds the first fault that strikes a request, and counts. To select and to use up is one step: nothing else can
 * come between, as both are in one synchronous call. What it costs, and the size of the change, goes by the armed
 * faults: of the spent ones only the last are kept.
 */
export function selectFault({ faults, seed }: World, asked: Matchable): Selection {
  if (faults.length === 0) return { fault: undefined, faults: undefined }
  let struck: Fault | undefined
  const moved = new Map<Fault, Fault>()
  for (const fault of faults) {
    if (isSpent(fault) || !matches(fault, asked)) continue
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

function withoutOldSpent(faults: Fault[]): Fault[] {
  let excess = faults.reduce((count, fault) => count + (isSpent(fault) ? 1 : 0), -mostSpent)
  return excess <= 0 ? faults : faults.filter((fault) => !isSpent(fault) || excess-- <= 0)
}

/** Whether a fault has struck as often as it was told to. */
export function isSpent({ times, used }: Fault): boolean {
  return times !== undefined && used >= times
}

/** By the seed and the count, so that the same run draws the same lots. */
function isDrawn({ id, probability, seen }: Fault, seed: number): boolean {
  return probability === undefined || fraction([seed, 'fault', id, seen]) < probability
}

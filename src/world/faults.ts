import { diffParts } from './change.ts'
import type { Fault, FaultCounts, World, WorldChange } from './World.ts'

/** Maximum number of exhausted faults that are listed. Older ones are omitted. */
export const maxExhausted = 20

/** The parts of a world that describe its faults. Counters are separate, so that counting a request doesn't rewrite the faults. */
export type FaultParts = Pick<World, 'faults' | 'faultCounts'>

/** The faults with their counters, in the order in which they are tried. */
export function getFaults({ faults, faultCounts }: FaultParts): Fault[] {
  const all = faults.map((fault) => {
    const { phase, ...rest } = fault
    return { phase, seen: 0, used: 0, ...rest, ...faultCounts[fault.id] }
  })
  const exhausted = all.filter(isExhausted)
  if (exhausted.length <= maxExhausted) return all
  const omitted = new Set(exhausted.slice(0, -maxExhausted))
  return all.filter((fault) => !omitted.has(fault))
}

/** Splits faults into definitions and counters, as a world stores them. */
export function splitFaults(all: readonly Fault[]): FaultParts {
  const faultCounts: Record<string, FaultCounts> = {}
  const faults = all.map(({ seen, used, ...fault }) => {
    if (seen > 0 || used > 0) faultCounts[fault.id] = { seen, used }
    return fault
  })
  return { faults, faultCounts }
}

/** The patch that replaces a world's faults and their counters. */
export function faultsPatch({ faults, faultCounts }: FaultParts, all: readonly Fault[]): WorldChange {
  return diffParts({ faults, faultCounts }, splitFaults(all)) ?? {}
}

/** Whether a fault can no longer trigger. */
export function isExhausted({ times, used }: Fault): boolean {
  return times !== undefined && used >= times
}

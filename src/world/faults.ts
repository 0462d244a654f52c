import type { Fault, World } from './World.ts'

/** Maximum number of exhausted faults that are listed. Older ones are omitted. */
export const maxExhausted = 20

/** The faults in the order in which they are tried. */
export function getFaults({ faults }: Pick<World, 'faults'>): Fault[] {
  const omitted = new Set(omittedFaults({ faults }))
  return faults
    .map(({ phase, seen, used, ...fault }, id) => ({ phase, seen, used, id, ...fault }))
    .filter(({ id }) => !omitted.has(id))
}

/** The ids of the faults that aren't listed: all exhausted ones but the last few. */
export function omittedFaults({ faults }: Pick<World, 'faults'>): number[] {
  if (faults.size <= maxExhausted) return []
  const exhausted = [...faults.entries()].filter(([, fault]) => isExhausted(fault)).map(([id]) => id)
  return exhausted.slice(0, -maxExhausted)
}

/** Whether a fault can no longer trigger. */
export function isExhausted({ times, used }: Pick<Fault, 'times' | 'used'>): boolean {
  return times !== undefined && used >= times
}

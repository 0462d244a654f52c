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

/** The world before a fault was counted that delayed a request. */
export function withoutCount(world: World, id: number | undefined): World {
  const fault = id === undefined ? undefined : world.faults.get(id)
  if (id === undefined || !fault) return world
  const counters = { seen: fault.seen - 1, used: fault.used - 1 }
  return { ...world, faults: world.faults.with([[id, { ...fault, ...counters }]]) }
}

/** Whether a fault can no longer trigger. */
export function isExhausted({ times, used }: Pick<Fault, 'times' | 'used'>): boolean {
  return times !== undefined && used >= times
}

import type { World } from './World.ts'

/** The parts of a world that say how it reads the gaps in the documentation. */
export type Readings = Pick<World, 'assumptions' | 'limits'>

/** A world's reading of an assumption; undefined if there is no such assumption. */
export function readingOf({ assumptions, limits }: Readings, id: string): string | number | undefined {
  // The interval can be any number, so it is kept with the limits.
  return id === 'updateListInterval'
    ? limits.updateListInterval
    : (assumptions as unknown as Record<string, string>)[id]
}

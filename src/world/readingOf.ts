import type { World } from './World.ts'

/** What decides how the gaps of the documentation are read in a world. */
export type Readings = Pick<World, 'assumptions' | 'limits'>

/** The reading of an assumption that holds in a world; undefined for an assumption that there is not. */
export function readingOf({ assumptions, limits }: Readings, id: string): string | number | undefined {
  // The interval is a number of any size, and is kept with the limits.
  return id === 'updateListInterval'
    ? limits.updateListInterval
    : (assumptions as unknown as Record<string, string>)[id]
}

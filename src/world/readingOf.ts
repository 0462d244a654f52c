import type { World } from './World.ts'

/** The reading of an assumption that holds in a world; undefined for an assumption that there is not. */
export function readingOf({ assumptions, limits }: World, id: string): string | number | undefined {
  // The interval is a number of any size, and is kept with the limits.
  return id === 'updateListInterval'
    ? limits.updateListInterval
    : (assumptions as unknown as Record<string, string>)[id]
}

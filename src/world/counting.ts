/** Counts end here, and begin anew. */
export const mostCounted = 1_000_000_000

/** One more, within bounds. */
export function countOn(count: number): number {
  return count < mostCounted ? count + 1 : 0
}

/**
 * Ids are given out below this. A record may be named by any id of ten digits: those from here on are never given out, so
 * an id is given once, and can be read.
 */
export const mostIds = 9_000_000_000

/** The next id after one was used. */
export function beyond(next: number, used: number): number {
  return used < mostIds ? Math.max(next, used + 1) : next
}

/** The longest list that has a use: the addresses of a service. */
export const longestList = 65_536

/** Counters wrap around to 0 here. */
export const mostCounted = 1_000_000_000

export function increment(count: number): number {
  return count < mostCounted ? count + 1 : 0
}

/**
 * Generated ids stay below this. Records may be given any id of up to ten digits: ids from here on don't advance the
 * counter, so it stays within ten digits.
 */
export const generatedIdLimit = 9_000_000_000

/** The next id once `used` is taken. */
export function nextIdAfter(next: number, used: number): number {
  return used < generatedIdLimit ? Math.max(next, used + 1) : next
}

/** The most faults of an account, and how long one may be as JSON: together they bound what a caller can store. */
export const mostFaults = 1000
export const largestFault = 65_536

/** The longest list that makes sense: a service's addresses. */
export const longestList = 65_536

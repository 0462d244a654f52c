/** USD. Up to this amount, whole cents are exact, and so are their sums and differences. */
export const maxMoney = 1e12

/** USD → whole cents, so that sums are exact: a hundred orders of 0.10 from 10.00 leave 0.00. */
export function toCents(usd: number): number {
  return Math.round(usd * 100)
}

/** Whether an amount is in whole cents and small enough to be exact. */
export function isMoney(usd: number): boolean {
  return usd >= 0 && usd <= maxMoney && toCents(usd) / 100 === usd
}

/** `from − amount` in USD, exact to the cent. */
export function subtract(from: number, amount: number): number {
  return (toCents(from) - toCents(amount)) / 100
}

/** Formats an amount: `0.50`. */
export function formatMoney(usd: number): string {
  return usd.toFixed(2)
}

/** Maximum value of a counter. `increment` restarts at 0 after it. */
export const maxCount = 1_000_000_000

export function increment(count: number): number {
  return count < maxCount ? count + 1 : 0
}

/**
 * Upper limit of generated ids. Records may have any id of up to ten digits, but higher ids don't advance the
 * counter, so generated ids never exceed ten digits.
 */
export const generatedIdLimit = 9_000_000_000

/** The next id to assign once the id `used` is taken. */
export function nextIdAfter(next: number, used: number): number {
  return used < generatedIdLimit ? Math.max(next, used + 1) : next
}

/** Maximum number of an account's faults, and maximum length of a fault as JSON. Together they limit what a caller can store. */
export const maxFaults = 1000
export const maxFaultLength = 65_536

/** Maximum number of items in a list. */
export const maxListLength = 65_536

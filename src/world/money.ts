/** USD. Up to this amount whole cents are exact, and so are their sums and differences. */
export const mostMoney = 1e12

/** USD → whole cents, so that sums are exact: a hundred orders of 0.10 from 10.00 leave 0.00. */
export function cents(usd: number): number {
  return Math.round(usd * 100)
}

/** Whether an amount is in whole cents and small enough to be exact. */
export function isMoney(usd: number): boolean {
  return usd >= 0 && usd <= mostMoney && cents(usd) / 100 === usd
}

/** `from − amount` in USD, exact to the cent. */
export function subtract(from: number, amount: number): number {
  return (cents(from) - cents(amount)) / 100
}

/** Formats an amount: `0.50`. */
export function money(usd: number): string {
  return usd.toFixed(2)
}

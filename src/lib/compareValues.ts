/** Compares numbers, or strings by code units, so that the order doesn't depend on the locale. */
export function compareValues(a: number | string, b: number | string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

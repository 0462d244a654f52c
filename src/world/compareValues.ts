/** By number, or by code points, so the order depends neither on the locale nor on the encoding. */
export function compareValues(a: number | string, b: number | string): number {
  if (typeof a !== 'string' || typeof b !== 'string') return a < b ? -1 : a > b ? 1 : 0
  if (a === b) return 0
  let i = 0
  while (a.charCodeAt(i) === b.charCodeAt(i)) i++
  // `<` compares code units, and those of surrogate pairs are below U+E000.
  return (a.codePointAt(i) ?? -1) - (b.codePointAt(i) ?? -1)
}

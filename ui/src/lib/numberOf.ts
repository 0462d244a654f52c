/**
 * A number as people type it, with a point or a comma before its decimals; undefined if the text isn't one. `1,000` is
 * refused: it is a thousand to some and one to others.
 */
export function numberOf(text: string): number | undefined {
  const isAmbiguous = /,\d{3}$/.test(text)
  const number = text.trim() === '' || isAmbiguous ? NaN : Number(text.replace(',', '.'))
  return Number.isFinite(number) ? number : undefined
}

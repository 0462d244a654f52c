/* Keywords of schemas, the same for checking values and for generating them. */

/** Compiles a pattern as Unicode, or as in older JavaScript if it isn't valid as Unicode, such as `[\w-.]` and `\-`. */
export function toRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return new RegExp(pattern) // oxlint-disable-line require-unicode-regexp
  }
}

/** The number of decimal places of a number: 2 for 0.05, 0 for 5. */
export function decimalPlaces(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e')
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent))
}

/** Whether a number is a multiple of a step, by their decimal digits: 1.15 is one of 0.05, although its remainder isn't 0. */
export function isMultipleOf(value: number, step: number): boolean {
  if (!Number.isFinite(value)) return false // 1e400 in JSON
  if (Number.isInteger(value) && Number.isInteger(step)) return value % step === 0
  const places = Math.max(decimalPlaces(value), decimalPlaces(step))
  return toInteger(value, places) % toInteger(step, places) === 0n
}

/** The digits of a number with this many decimal places, without the point. */
function toInteger(value: number, places: number): bigint {
  const [digits = '', exponent = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  return BigInt(whole + fraction + '0'.repeat(places - fraction.length + Number(exponent)))
}

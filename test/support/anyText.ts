import * as fc from 'fast-check'

/** Any Unicode characters. `fc.string({ unit: 'binary' })` takes a second to build a table of all of them. */
const character = fc
  .oneof(
    fc.integer({ max: 0xff, min: 0 }),
    fc.integer({ max: 0xffff, min: 0 }),
    fc.integer({ max: 0x10ffff, min: 0 }),
  )
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))

/** Text of any Unicode characters, control characters included. */
export function anyText(constraints: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.array(character, constraints).map((characters) => characters.join(''))
}

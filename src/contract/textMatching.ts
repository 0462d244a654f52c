import type { Faker } from '@faker-js/faker'
import randexp from 'randexp'

// The module is the class itself; its types declare a `default` that doesn't exist.
const RandExp = randexp as unknown as typeof randexp.default

/** Most repetitions of `*`, `+` and `{n,}` beyond their minimum. */
const maxExtra = 5

/**
 * A text that matches a pattern; faker's own `fromRegExp` supports neither groups nor `\d`.
 * @throws Error if none is found
 */
export function textMatching(pattern: string, faker: Faker): string {
  const generator = new RandExp(pattern)
  generator.max = maxExtra
  generator.randInt = (min, max) => faker.number.int({ min, max })
  const text = generator.gen()
  if (new RegExp(pattern, 'u').test(text)) return text
  throw new Error(`can't generate a text for the pattern ${pattern}; add an example to the schema`)
}

import type { Faker } from '@faker-js/faker'
import randexp from 'randexp'

// The module is the class itself; its types tell of a `default` that it does not have.
const RandExp = randexp as unknown as typeof randexp.default

/** How often `*`, `+` and `{n,}` repeat at most, beyond their least. */
const more = 5

/**
 * A text that a pattern matches; faker's own `fromRegExp` knows neither groups nor `\d`.
 * @throws Error if none is found
 */
export function textMatching(pattern: string, faker: Faker): string {
  const generator = new RandExp(pattern)
  generator.max = more
  generator.randInt = (min, max) => faker.number.int({ min, max })
  const text = generator.gen()
  if (new RegExp(pattern, 'u').test(text)) return text
  throw new Error(`no text can be made up for the pattern ${pattern}; give the schema an example`)
}

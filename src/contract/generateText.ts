import type { Faker } from '@faker-js/faker'
import randexp from 'randexp'
import type { Schema } from './Contract.ts'
import { toRegExp } from './keywords.ts'

/** A format of texts. */
interface Format {
  generate: (faker: Faker) => string
  /** A text for schemas with a small `maxLength` */
  short?: string
}

/** Formats by name. Hosts and addresses come from the ranges reserved for examples. */
const formats: Partial<Record<string, Format>> = {
  date: { generate: (faker) => faker.date.past().toISOString().slice(0, 10) },
  'date-time': { generate: (faker) => faker.date.past().toISOString(), short: '2025-01-15T12:00:00Z' },
  time: { generate: (faker) => `${faker.date.past().toISOString().slice(11, 19)}Z` },
  'iso-date-time': { generate: (faker) => faker.date.past().toISOString(), short: '2025-01-15T12:00:00Z' },
  'iso-time': { generate: (faker) => faker.date.past().toISOString().slice(11, 19) },
  duration: { generate: (faker) => `P${faker.number.int({ min: 1, max: 30 })}D`, short: 'P1D' },
  email: { generate: (faker) => faker.internet.exampleEmail().toLowerCase(), short: 'a@b.co' },
  ipv4: { generate: (faker) => faker.internet.ipv4({ network: 'test-net-1' }), short: '192.0.2.1' },
  ipv6: {
    generate: (faker) => `2001:db8::${faker.string.hexadecimal({ length: 4, casing: 'lower', prefix: '' })}`,
    short: '::1',
  },
  uuid: { generate: (faker) => faker.string.uuid() },
  uri: { generate: (faker) => `https://example.com/${faker.lorem.slug()}`, short: 'a:b' },
  url: { generate: (faker) => `https://example.com/${faker.lorem.slug()}`, short: 'ftp://a.io' },
  'uri-reference': { generate: (faker) => `/${faker.lorem.slug()}`, short: '/' },
  'uri-template': { generate: (faker) => `/${faker.lorem.word()}/{id}`, short: '/' },
  'json-pointer': { generate: (faker) => `/${faker.lorem.word()}`, short: '' },
  'json-pointer-uri-fragment': { generate: (faker) => `#/${faker.lorem.word()}`, short: '#' },
  'relative-json-pointer': { generate: (faker) => `0/${faker.lorem.word()}`, short: '0' },
  regex: { generate: (faker) => `^${faker.lorem.word()}$`, short: '' },
  hostname: { generate: (faker) => `${faker.internet.domainWord()}.example.com`, short: 'a' },
  byte: { generate: (faker) => Buffer.from(faker.lorem.word()).toString('base64'), short: 'eHh4' },
}

/** Generates a text. If it can't satisfy all keywords of the schema, the text violates some of them. */
export function generateText(schema: Schema, faker: Faker): string {
  const [min, max] = [Number(schema['minLength'] ?? 0), Number(schema['maxLength'] ?? Infinity)]
  const pattern = schema['pattern'] as string | undefined
  const format = formats[String(schema['format'])]
  if (pattern !== undefined && !format) return generateMatching(pattern, faker, min, max)
  let text = format ? format.generate(faker) : faker.lorem.words(2)
  if (text.length > max) text = format ? (format.short ?? text) : text.slice(0, max)
  if (text.length < min) {
    // A format takes one of these paddings. The validator finds out which: `byte` needs groups of four, `hostname` short labels.
    const count = Math.min(max - text.length, 4 * Math.ceil((min - text.length) / 4))
    const padding = 'x'.repeat(count)
    const labels = 'x.'.repeat(count / 2) + 'x'.repeat(count % 2)
    text = faker.helpers.arrayElement([text + padding, padding + text, labels + text])
  }
  return pattern === undefined || toRegExp(pattern).test(text)
    ? text
    : generateMatching(pattern, faker, min, max)
}

// The module is the class itself; its types declare a `default` that doesn't exist.
const RandExp = randexp as unknown as typeof randexp.default

/** Maximum numbers of repetitions of `*`, `+` and `{n,}` beyond their minimum, in the order in which they are tried. */
const extras = [5, 0, 1, 2, 10, 30, 100]

/**
 * Generates a text that matches a pattern and has between `min` and `max` characters. Faker's own `fromRegExp` supports neither
 * groups nor `\d`.
 * @throws Error if no generated text does
 */
export function generateMatching(pattern: string, faker: Faker, min = 0, max = Infinity): string {
  const expression = toRegExp(pattern)
  // Look-around can't be generated, but texts without it may match.
  const generator = new RandExp(pattern.replaceAll(/\(\?<?[=!](?:[^()\\]|\\.)*\)/g, ''))
  generator.randInt = (from, to) => faker.number.int({ min: from, max: to })
  for (let i = 0; i < 10 * extras.length; i++) {
    generator.max = Math.max(extras[Math.floor(i / 10)] ?? 0, i % 2 === 1 ? min : 0)
    const generated = generator.gen()
    // If the pattern isn't anchored, the text may be longer or shorter.
    for (const text of [generated, generated.padEnd(min, 'x').slice(0, max)])
      if (text.length >= min && text.length <= max && expression.test(text)) return text
  }
  const length = min > 0 || max < Infinity ? ' and the length' : ''
  throw new Error(`Can't generate a text for the pattern ${pattern}${length}. Add an example to the schema.`)
}

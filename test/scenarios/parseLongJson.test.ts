import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseLongJson } from '../../src/scenario/parseLongJson.ts'

const depth = 100

/** What came of it, and whether it was refused at all: the words differ. */
async function outcome(parse: () => unknown): Promise<{ value: unknown } | 'refused'> {
  try {
    return { value: await parse() }
  } catch {
    return 'refused'
  }
}

const keysOf = (text: string): number =>
  [...text.matchAll(/"(?:[^"\\]|\\.)*"(?<colon>\s*:)?/g)].filter(({ groups }) => groups?.['colon']).length

/** Of two equal keys it would keep the last. */
function parseUnique(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (keysOf(JSON.stringify(value)) < keysOf(text)) throw new Error('a key appears twice')
  return value
}

const values = fc.jsonValue({ maxDepth: 5 })
const texts = fc
  .tuple(values, fc.constantFrom(undefined, 1, '\t'))
  .map(([value, space]) => JSON.stringify(value, null, space))
  .filter((text) => !text.includes('__proto__'))
const pieces = fc.integer({ min: 1, max: 60 })

test('chunks of any size give the same result as JSON.parse', async () => {
  await fc.assert(
    fc.asyncProperty(texts, pieces, async (text, piece) => {
      expect(await parseLongJson(text, depth, piece)).toEqual(JSON.parse(text))
    }),
    { numRuns: 1000 },
  )
})

test('JSON is refused exactly when JSON.parse refuses it, or a key appears twice', async () => {
  const broken = fc
    .tuple(
      texts,
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom('', ',', '"', '{', ']', ':', '\\', ' ', '1', 'x'),
    )
    .map(([text, at, gone, put]) => {
      const from = at % (text.length + 1)
      return text.slice(0, from) + put + text.slice(from + gone)
    })
    .filter((text) => !text.includes('__proto__'))
  let refused = 0
  await fc.assert(
    fc.asyncProperty(broken, pieces, async (text, piece) => {
      const expected = await outcome(() => parseUnique(text))
      if (expected === 'refused') refused++
      expect(await outcome(() => parseLongJson(text, depth, piece))).toEqual(expected)
    }),
    { numRuns: 3000 },
  )
  expect(refused).toBeGreaterThan(500)
})

test.each([
  ['{"a": [1, 2', 'it ends too early'],
  ['{"a": "x', 'it ends too early'],
  ['{"a": 1} {', '"{" at position 9 is not expected there'],
  ['{"a" 1}', '"1" at position 5 is not expected there'],
  ['{"a": 1, "b": 2, "a": 3}', 'the key "a" appears twice'],
  ['{"a": [1, 2, 3, {"b":1,"\\u0062":2}]}', 'the key "b" appears twice'],
  ['{"a": [{"__proto__": {"b": 1}}]}', 'the key "__proto__" is not allowed'],
  ['{"a": {"__proto__": 1}}', 'the key "__proto__" is not allowed'],
  [`{"a": ${'['.repeat(101)}`, 'nested more than 100 deep'],
  [`{"a": [${'1,'.repeat(70_000)}1]}`, 'a list of more than 65536 items'],
  [
    `{"a": {${Array.from({ length: 400_001 }, (_, i) => `"${i}":1`).join()}}}`,
    'a map of more than 400000 entries',
  ],
])('%j is refused, and told why', async (text, why) => {
  await expect(parseLongJson(text, depth, 4)).rejects.toThrow(why)
})

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonMistake } from '../../src/scenario/jsonMistake.ts'

const keysOf = (text: string): number =>
  [...text.matchAll(/"(?:[^"\\]|\\.)*"(?<colon>\s*:)?/g)].filter(({ groups }) => groups?.['colon']).length

/** Whether JSON.parse takes it whole, drops a key that appears twice, or refuses it. */
function fateOf(text: string): 'whole' | 'dropped' | 'refused' {
  try {
    return keysOf(JSON.stringify(JSON.parse(text))) === keysOf(text) ? 'whole' : 'dropped'
  } catch {
    return 'refused'
  }
}

const texts = fc
  .tuple(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'))
  .map(([value, space]) => JSON.stringify(value, null, space))
  .filter((text) => !text.includes('__proto__'))

test('there is nothing wrong with what JSON.stringify writes', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(jsonMistake(text)).toBeUndefined()
    }),
    { numRuns: 1000 },
  )
})

test('of what JSON.parse takes, exactly the texts in which a key appears twice are mistakes', () => {
  const [key, value] = [
    fc.constantFrom('a', 'b', '\\u0061', '\\"', '{'),
    fc.constantFrom('1', '"a"', '[{"a":1}, "b"]'),
  ]
  const members = fc.array(fc.tuple(key, value), { maxLength: 4 })
  const altered = fc
    .tuple(
      members,
      texts,
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom('', '', ',', '"', '{', ']', ':', '\\', ' ', 'x'),
    )
    .map(([some, inner, at, gone, put]) => {
      const text = `{${some.map(([name, content]) => `"${name}" :${content}`).join(', ')}${some.length ? ',' : ''}"z": ${inner}}`
      const from = at % (text.length + 1)
      return put ? text.slice(0, from) + put + text.slice(from + gone) : text
    })
    // Node 24's JSON.parse at times takes \u0061 for the key \\u0061, if it has seen that before.
    .filter((text) => !text.includes('__proto__') && !text.includes('\\\\'))
  const found = { whole: 0, dropped: 0, refused: 0 }
  fc.assert(
    fc.property(altered, (text) => {
      const fate = fateOf(text)
      found[fate]++
      fc.pre(fate !== 'refused')
      expect(jsonMistake(text)?.includes('appears twice') ?? false).toBe(fate === 'dropped')
    }),
    { numRuns: 3000 },
  )
  expect(Math.min(...Object.values(found))).toBeGreaterThan(300)
})

const ofMembers = (many: number) => `{${Array.from({ length: many }, (_, i) => `"${i}":1`).join()}}`

test.each([
  ['a key twice', '{"a": 1, "b": 2, "a": 3}', 'the key "a" appears twice (at position 17)'],
  ['a key twice, once escaped', '{"a": [1, {"b":1,"\\u0062":2}]}', 'the key "b" appears twice'],
  ['__proto__', '{"a": [{"__proto__": {"b": 1}}]}', 'the key "__proto__" is not allowed'],
  ['__proto__, escaped', '{"a": {"\\u005f_proto__": 1}}', 'the key "__proto__" is not allowed'],
  ['deep lists', `{"a": ${'['.repeat(101)}`, 'nested more than 100 deep'],
  ['a long list', `{"a": [${'1,'.repeat(65_536)}1]}`, 'a list of more than 65536 items'],
  ['a long list of lists', `{"a": [${'[],'.repeat(65_536)}[]]}`, 'a list of more than 65536 items'],
  ['a long map', ofMembers(400_001), 'a map of more than 400000 entries'],
])('%s is a mistake, and told why', (_what, text, why) => {
  expect(jsonMistake(text)).toContain(why)
})

test.each([
  ['deep lists', `{"a": ${'['.repeat(99)}${']'.repeat(99)}}`],
  ['a long list', `{"a": [${'1,'.repeat(65_535)}1]}`],
  ['a long map', ofMembers(400_000)],
])('%s just within the limits', (_what, text) => {
  expect(jsonMistake(text)).toBeUndefined()
})

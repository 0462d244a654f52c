import { expect, test } from 'vitest'
import { describeMistake } from '../../src/lib/jsonMistake.ts'

test.each([
  ['{"clientid":11,}', '} 15'],
  ['{"a" 1}', '1 5'],
  ['', 'end 0'],
  ['{', 'end 1'],
  ['{"a":"b', 'end 7'],
  ['{"a":1 "b', '" 7'],
  ['[1,,2]', ', 3'],
  ['[1 2]', '2 3'],
  ["{'a':1}", "' 1"],
  ['{a:1}', 'a 1'],
  ['{"a":01}', '0 5'],
  ['{"a":tru}', 't 5'],
  ['{"a":NaN}', 'N 5'],
  ['{"a":"\\q"}', '\\ 6'],
  ['{"a":"\\u12"}', '\\ 6'],
  ['{"a":1}}', '} 7'],
  ['{"a":[1}', '} 7'],
  ['{"a":1} x', 'x 8'],
  ['password=x', 'p 0'],
  ['{"😀":😀}', '😀 6'],
])('the first mistake of %s is %s', (text, expected) => {
  const [found, position] = expected.split(' ')
  const character = found === 'end' ? 'end' : JSON.stringify(found)
  expect(describeMistake(text)).toContain(`unexpected ${character} at position ${position} (line 1, `)
})

test('the position has line and column', () => {
  expect(describeMistake('{\n  "a": 1\n  "b": 2\n}')).toBe(
    'unexpected "\\"" at position 13 (line 3, column 3)',
  )
  expect(describeMistake('{"a":"b\nc"}')).toBe(String.raw`unexpected "\n" at position 7 (line 1, column 8)`)
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isSame } from '../../src/http/authenticate.ts'

test.each([
  ['nothing and nothing', '', '', true],
  ['a token and itself', 'token', 'token', true],
  ['another last letter', 'token', 'tokem', false],
  ['a space more', 'token', 'token ', false],
  ['two ways to write é', 'é', 'e\u0301', false],
  ['the last of 10,000 letters', `${'a'.repeat(9999)}a`, `${'a'.repeat(9999)}b`, false],
])('%s', (_what, a, b, same) => {
  expect(isSame(a, b)).toBe(same)
})

/*
 * How long a comparison takes can't be tested without noise. What can be: that credentials are judged by the function
 * whose time does not depend on them. Whoever compares otherwise has to come by here.
 */
test.each([
  ['authenticate.ts', /\btimingSafeEqual\((?:secret, digest|digestOf\(a\), digestOf\(b\))\)/g, 2],
  ['guards/tokenGuard.ts', /\bisSame\(one, token\)/g, 1],
])('src/http/%s compares credentials in constant time', (file, comparison, times) => {
  const text = readFileSync(new URL(`../../src/http/${file}`, import.meta.url), 'utf8')
  expect(text.match(comparison)).toHaveLength(times)
})

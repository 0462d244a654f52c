import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const decisions = readdirSync(new URL('docs/decisions/', root)).map((file) => `docs/decisions/${file}`)

test.each(['CONTRIBUTING.md', ...decisions])('%s names no file that is not there', (file) => {
  const text = readFileSync(new URL(file, root), 'utf8')
  const named = [
    ...text.matchAll(/`((?:src|test|ui|scripts|scenarios|fixtures|docs|examples|bench)\/[^`\s<*]+)`/g),
  ]
  const missing = named.map(([, path = '']) => path).filter((path) => !existsSync(new URL(path, root)))
  expect(missing).toEqual([])
})

test('decisions are numbered without a gap', () => {
  const numbers = decisions.map((file) => Number(/\/(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1]))
  expect(numbers).toEqual(numbers.map((_, i) => i + 1))
})

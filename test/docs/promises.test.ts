import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const security = read('SECURITY.md')
const promised = security.slice(
  security.indexOf('## What is promised'),
  security.indexOf('## What is not promised'),
)
const rows = read('docs/durability.md')
  .split('\n')
  .filter((line) => line.startsWith('| the ') || line.startsWith('| a '))

const promises = [...promised.split('\n').filter((line) => line.startsWith('- ')), ...rows].map(
  (promise) => ({ promise }),
)

test('there are promises', () => {
  expect(rows).toHaveLength(6)
  expect(promises.length).toBeGreaterThan(30)
})

describe('each promise names a test that is there:', () => {
  test.each(promises)('$promise', ({ promise }) => {
    const cited = [...promise.matchAll(/\[(?!`?\/|[^\]]*\]\()(?<inner>[^\]]*)\]/g)]
      .flatMap(({ groups }) => (groups?.['inner'] ?? '').split('; '))
      .filter((part) => part.includes('.test.ts') || part.startsWith('*'))
    expect(cited, 'no test is named').not.toEqual([])
    for (const part of cited) {
      const [, name = 'crash.test.ts'] = /^`(?<file>[^`]+)`/.exec(part) ?? []
      const file = name.includes('/') ? name : `test/hardening/${name}`
      expect(existsSync(join(root, file)), file).toBe(true)
      const text = read(file).replaceAll(/\s+/g, ' ')
      for (const [, title = ''] of part.matchAll(/\*([^*]+)\*/g))
        expect(text, `${file}: ${title}`).toContain(title.replace(/ …$/, ''))
    }
  })
})

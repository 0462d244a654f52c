import { expect, test } from 'vitest'
import { generate } from '../../scripts/generate.ts'

test('what is generated is not stale (else: npm run generate)', async () => {
  expect(await generate({ check: true })).toEqual([])
})

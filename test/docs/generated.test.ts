import { expect, test } from 'vitest'
import { generate } from '../../scripts/generate.ts'

test('generated files are up to date (otherwise run npm run generate)', async () => {
  expect(await generate({ check: true })).toEqual([])
})

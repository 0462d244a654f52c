import { expect, test } from 'vitest'
import { types } from '../../src/scenario/schemaTypes.ts'
import { emptyWorld } from '../../src/service/defaults.ts'
import { addGenerated } from '../../src/service/generate.ts'
import { worldToJson, worldFromJson } from '../../src/world/change.ts'
import { kinds } from '../../src/world/World.ts'

const today = { now: 0, timeZone: 'UTC' }

test.each(kinds)('%s are generated on demand', async (kind) => {
  const account = await addGenerated({ password: 'secret', generate: { [kind]: 4 } }, 1, today)
  expect(Object.keys(account[kind] ?? {})).toHaveLength(4)
})

test('next ids missing in a state of an earlier version follow its records', async () => {
  const { invoices = {} } = await addGenerated({ password: 'secret', generate: { invoices: 4 } }, 1, today)
  const data = worldToJson(worldFromJson(emptyWorld('secret', 1, { offset: 0 })))
  const { invoice: _, ...next } = data.next
  const old = { ...data, invoices, next } as unknown as typeof data
  expect(worldFromJson(old).next).toMatchObject({ invoice: 9005, service: 5001 })
})

test.each([
  ['as many characters as are allowed', 10_000, true],
  ['one more', 10_001, false],
])('%s, each of two UTF-16 units', (_, length, isValid) => {
  expect(types.text.safeParse('😀'.repeat(length)).success).toBe(isValid)
})

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildWorlds } from '../../src/scenario/buildWorld.ts'
import { applyDue } from '../../src/timeline/applyDue.ts'
import type { EntryInput } from '../../src/world/World.ts'
import { worldToJson } from '../../src/world/change.ts'
import type { World } from '../../src/world/World.ts'

const begin = Date.parse('2026-01-15T12:00:00Z')
const year = 365 * 24 * 60 * 60 * 1000

async function worldWith(timeline: EntryInput[]): Promise<World> {
  const account = {
    password: 'secret',
    credit: 50,
    clients: { 11: {} },
    products: {
      101: { productName: 'Static', price: 20, product_type: 'fpr' as const },
      102: { productName: 'Rotating', price: 5, product_type: 'ppr' as const },
    },
    services: { 5001: { client: 11, product: 101 }, 5101: { client: 11, product: 102 } },
    timeline,
  }
  const document = { description: 'A test.', clock: '2026-01-15T12:00:00Z', accounts: { reseller: account } }
  return (await buildWorlds(document, begin)).get('reseller') as World
}

const effect = fc.oneof(
  fc
    .constantFrom('Active', 'Suspended', 'Terminated')
    .map((status) => ({ patch: { services: { 5001: { status } } } })),
  fc.constant({ patch: { services: { 5001: null } } }),
  fc.integer({ min: 1, max: 500 }).map((usage) => ({ add: { services: { 5101: { usage } } } })),
  fc.integer({ min: -30, max: 30 }).map((credit) => ({ add: { credit } })),
)
const repetition = fc.option(
  fc.record({ every: fc.constantFrom('PT6H', 'P1D', 'P1M'), times: fc.integer({ min: 1, max: 40 }) }),
)
const entry = fc
  .tuple(fc.integer({ min: 0, max: year / 1000 }), effect, repetition)
  .map(([seconds, what, repeats]): EntryInput => ({ after: `PT${seconds}S`, ...what, ...repeats }))

test('a year at once and in many steps gives the same world', async () => {
  const steps = fc.array(fc.integer({ min: 0, max: year }), { maxLength: 1000 })
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 8 }), steps, async (entries, looks) => {
      const world = await worldWith(entries)
      const atOnce = applyDue(world, begin + year, []).world
      let inSteps = world
      for (const look of [...looks.toSorted((a, b) => a - b), year])
        inSteps = applyDue(inSteps, begin + look, []).world
      expect(worldToJson(inSteps)).toEqual(worldToJson(atOnce))
    }),
    { numRuns: 50 },
  )
})

test('if nothing is due, the world is the same value', async () => {
  const world = await worldWith([{ after: 'PT1H', add: { credit: 1 } }])
  expect(applyDue(world, begin, []).world).toBe(world)
})

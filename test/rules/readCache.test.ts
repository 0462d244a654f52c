import { expect, test } from 'vitest'
import { ReadCache } from '../../src/http/ReadCache.ts'
import type { World } from '../../src/world/World.ts'

test('cached responses of worlds in the journal are bounded', () => {
  const cache = new ReadCache()
  const worlds = Array.from({ length: 100 }, () => ({}) as World)
  const response = { status: 200, contentType: 'application/json', body: 'x'.repeat(500_000) }
  for (const world of worlds) cache.set(world, '/api/services', response)
  const kept = worlds.filter((world) => cache.get(world, '/api/services') !== undefined)
  expect(kept).toContain(worlds.at(-1))
  expect(kept.length).toBeLessThan(40)
})

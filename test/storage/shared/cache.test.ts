import { expect, test } from 'vitest'
import { WorldCache, type KnownWorld } from '../../../src/storage/shared/WorldCache.ts'
import { newWorld } from '../stores.ts'

function known(size: number): KnownWorld {
  return {
    id: '1-0',
    world: newWorld(),
    birth: 1,
    era: 1,
    born: 0,
    base: 0,
    wholes: [0],
    size,
    since: 0,
    used: 0,
  }
}

test('the cache evicts the least recently used world, and stays within its limit as worlds grow', () => {
  const cache = new WorldCache(1000)
  const kept = (): string[] => ['a', 'b', 'c', 'huge', 'late'].filter((login) => cache.get(login))
  const [a, b, c] = [known(400), known(400), known(150)] as [KnownWorld, KnownWorld, KnownWorld]
  cache.set('a', a)
  cache.set('b', b)
  cache.set('c', c)
  expect(kept()).toEqual(['a', 'b', 'c'])
  cache.set('a', a) // it was looked at again
  c.since = 100
  cache.set('c', c)
  expect(kept()).toEqual(['a', 'c'])
  cache.set('huge', known(5000))
  expect(kept()).toEqual(['huge']) // the one at hand stays
  cache.delete('huge')
  cache.set('a', a)
  c.since = 450
  cache.set('c', c)
  expect(kept()).toEqual(['a', 'c']) // just as much as it may hold
  cache.set('late', known(1))
  expect(kept()).toEqual(['c', 'late'])
})

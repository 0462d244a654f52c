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
  const [a, b, c] = [known(400), known(400), known(150)] as [KnownWorld, KnownWorld, KnownWorld]
  cache.set('a', a)
  cache.set('b', b)
  cache.set('c', c)
  expect(cache.size).toEqual({ worlds: 3, characters: 950 })
  cache.set('a', a) // it was looked at again
  c.since = 100
  cache.set('c', c)
  expect(cache.get('b')).toBeUndefined()
  expect(cache.size).toEqual({ worlds: 2, characters: 650 })
  cache.set('huge', known(5000))
  expect(cache.size).toEqual({ worlds: 1, characters: 5000 }) // the one at hand stays
  cache.delete('huge')
  expect(cache.size).toEqual({ worlds: 0, characters: 0 })
})

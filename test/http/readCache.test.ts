import { expect, test } from 'vitest'
import type { ApiResponse } from '../../src/http/ApiResponse.ts'
import { ReadCache } from '../../src/http/ReadCache.ts'
import type { World } from '../../src/world/World.ts'

test('a full cache makes room for a new URL, not for a new response of one that it has', () => {
  const cache = new ReadCache()
  const [world, changed] = [{}, {}] as [World, World]
  const response: ApiResponse = { status: 200, type: 'application/json', body: '{}' }
  const urls = Array.from({ length: 200 }, (_, id) => `/api/service/${id}`) as [string, ...string[]]
  for (const url of urls) cache.set(url, world, response)
  cache.set(urls[0], changed, response)
  expect(urls.filter((url) => !cache.get(url, world))).toEqual([urls[0]])
  expect(cache.get(urls[0], changed)).toBe(response)
  cache.set('/api/clients', world, response)
  expect(urls.filter((url) => cache.get(url, world))).toEqual([])
})

import type { World } from '../world/World.ts'
import type { ApiResponse } from './Wire.ts'

/** Maximum number of URLs per world, and of characters in total. The journal keeps many worlds alive */
const maxUrls = 100
const maxCharacters = 16 * 1024 * 1024

/**
 * Caches validated responses of requests that only read, as long as the world stays the same. When it was introduced, a list
 * of 20 products took 25 µs instead of 41. Worlds are immutable, so cached responses are never outdated.
 */
export class ReadCache {
  #reads = new WeakMap<World, Map<string, ApiResponse>>()
  #characters = 0

  get(world: World, url: string): ApiResponse | undefined {
    return this.#reads.get(world)?.get(url)
  }

  set(world: World, url: string, response: ApiResponse): void {
    this.#characters += response.body.length
    if (this.#characters > maxCharacters) {
      this.#reads = new WeakMap()
      this.#characters = response.body.length
    }
    const urls = this.#reads.get(world) ?? new Map<string, ApiResponse>()
    this.#reads.set(world, urls)
    if (urls.size < maxUrls) urls.set(url, response)
  }
}

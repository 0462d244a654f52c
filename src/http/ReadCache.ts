import type { World } from '../world/World.ts'
import type { ApiResponse } from './Wire.ts'

/** URLs remembered of a world */
const mostUrls = 100
/** Characters */
const longestBody = 1_000_000
/** Characters remembered of all worlds: the journal keeps many of them alive */
const mostCharacters = 16 * 1024 * 1024

/**
 * Checked responses of requests that only read, for as long as the world stays the same: when it came, a list of 20
 * products took 25 µs instead of 41. As a world is a value, what is remembered is never stale.
 */
export class ReadCache {
  #reads = new WeakMap<World, Map<string, ApiResponse>>()
  #characters = 0

  get(world: World, url: string): ApiResponse | undefined {
    return this.#reads.get(world)?.get(url)
  }

  set(world: World, url: string, response: ApiResponse): void {
    if (response.body.length > longestBody) return
    if ((this.#characters += response.body.length) > mostCharacters) {
      this.#reads = new WeakMap()
      this.#characters = response.body.length
    }
    let urls = this.#reads.get(world)
    if (!urls) this.#reads.set(world, (urls = new Map()))
    if (urls.size < mostUrls) urls.set(url, response)
  }
}

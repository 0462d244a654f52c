import type { World } from '../world/World.ts'
import type { ApiResponse } from './Wire.ts'

/** URLs remembered of a world */
const mostUrls = 100
/** Characters */
const longestBody = 1_000_000

/**
 * Checked responses of requests that only read, for as long as the world stays the same: a client that polls a list of
 * 50 services gets it in a third of the time (`bench/floor`). As a world is a value, what is remembered is never stale.
 */
export class ReadCache {
  readonly #reads = new WeakMap<World, Map<string, ApiResponse>>()

  get(world: World, url: string): ApiResponse | undefined {
    return this.#reads.get(world)?.get(url)
  }

  set(world: World, url: string, response: ApiResponse): void {
    if (response.body.length > longestBody) return
    let urls = this.#reads.get(world)
    if (!urls) this.#reads.set(world, (urls = new Map()))
    if (urls.size < mostUrls) urls.set(url, response)
  }
}

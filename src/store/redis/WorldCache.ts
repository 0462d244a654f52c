import { change, worldOf } from '../../world/change.ts'
import type { World, WorldData } from '../../world/World.ts'
import type { Change } from '../Store.ts'

/** What a script says of a world: the token of the commit that made it (empty: it is gone); then all that isn't known yet. */
export type News = [token: string, load?: string, version?: string, whole?: string, changes?: string[]]

interface Cached {
  /** As Redis has it */
  base: World
  /** With what is under way: commits are sent in order, so others may build upon it at once */
  tip: World
  /** Characters of the last whole world in Redis, and of the changes since */
  whole: number
  log: number
}

/** Maximum characters of JSON */
const largestCache = 64 * 1024 * 1024
/** A whole world is written once the changes since the last are longer than this, and than twice the world. */
const longestLog = 65_536

/** The worlds that a replica keeps. None is answered from before Redis has said that it is the present one. */
export class WorldCache {
  /** Which commit made a world: what Redis compares */
  readonly #tokens = new WeakMap<World, string>()
  /** The least recently read first */
  readonly #worlds = new Map<string, Cached>()
  #size = 0

  tokenOf(world: World | undefined): string {
    return (world && this.#tokens.get(world)) ?? ''
  }

  get(login: string): Cached | undefined {
    return this.#worlds.get(login)
  }

  all(): [string, Cached][] {
    return [...this.#worlds]
  }

  clear(): void {
    this.#worlds.clear()
    this.#size = 0
  }

  forget(login: string | undefined): void {
    const cached = login === undefined ? undefined : this.#worlds.get(login)
    if (login === undefined || !cached) return
    this.#worlds.delete(login)
    this.#size -= cached.whole + cached.log
  }

  #keep(login: string, cached: Cached): void {
    this.forget(login)
    this.#worlds.set(login, cached)
    this.#size += cached.whole + cached.log
    for (const oldest of this.#worlds.keys()) {
      if (this.#size <= largestCache || oldest === login) break
      this.forget(oldest)
    }
  }

  /** A commit goes under way. @returns whether it should have the whole world, as reading it would take too long else */
  begin(login: string, after: World, token: string, length: number): boolean {
    this.#tokens.set(after, token)
    const cached = this.#worlds.get(login)
    if (!cached) return false
    const isLong = cached.log + length > Math.max(longestLog, 2 * cached.whole)
    const sizes = isLong ? { whole: (cached.whole + cached.log) / 2, log: 0 } : { log: cached.log + length }
    this.#keep(login, { ...cached, ...sizes, tip: after })
    return isLong
  }

  /** Redis has it now. */
  succeed(login: string, after: World): void {
    const cached = this.#worlds.get(login)
    if (cached && isNewer(after, cached.base)) cached.base = after
  }

  /** @param base the world that the news is about, if any @returns the present one; undefined if there is none */
  follow(login: string, base: World | undefined, news: News): World | undefined {
    const [token, load, version, text = '', changes = []] = news
    if (token === '') {
      this.forget(login)
      return undefined
    }
    const cached = this.#worlds.get(login)
    let world = base as World
    if (version !== undefined) {
      if (text !== '') {
        const data = JSON.parse(text) as WorldData
        world = worldOf({ ...data, origin: { ...data.origin, load: Number(load) } }) // Redis numbers the loads
      }
      for (const one of changes)
        for (const { patch } of JSON.parse(one) as Change[]) world = change(world, patch)
      this.#tokens.set(world, token)
    }
    // A later reply may have been first.
    if (cached && !isNewer(world, cached.base)) {
      cached.tip = cached.base
      return cached.base
    }
    const log = changes.reduce((sum, { length }) => sum + length, text === '' && cached ? cached.log : 0)
    this.#keep(login, { base: world, tip: world, whole: text.length || (cached?.whole ?? 0), log })
    return world
  }
}

function isNewer(a: World, b: World): boolean {
  return a.origin.load !== b.origin.load || a.version > b.version
}

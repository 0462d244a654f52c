import { change, worldOf } from '../../world/change.ts'
import type { World, WorldData } from '../../world/World.ts'
import type { Change } from '../Store.ts'

/** What a script says of a world: the token of the commit that made it (empty: it is gone); then all that isn't known yet. */
export type News = [token: string, load?: string, version?: string, whole?: string, changes?: string[]]

/** A world, and what this replica makes of it: another line takes its place when one of its commits was overtaken. */
export interface Line {
  /** As Redis has it */
  base: World
  /** With what is under way: commits are sent in order, so others may build upon it at once */
  tip: World
  /** Whether it was overtaken by so much that Redis is to be asked first */
  isBehind?: boolean
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
  readonly #worlds = new Map<string, Line>()
  #size = 0

  tokenOf(world: World | undefined): string {
    return (world && this.#tokens.get(world)) ?? ''
  }

  get(login: string): Line | undefined {
    return this.#worlds.get(login)
  }

  all(): [string, Line][] {
    return [...this.#worlds]
  }

  clear(): void {
    this.#worlds.clear()
    this.#size = 0
  }

  forget(login: string | undefined): void {
    const line = login === undefined ? undefined : this.#worlds.get(login)
    if (login === undefined || !line) return
    this.#worlds.delete(login)
    this.#size -= line.whole + line.log
  }

  #keep(login: string, line: Line): void {
    this.forget(login)
    this.#worlds.set(login, line)
    this.#size += line.whole + line.log
    for (const oldest of this.#worlds.keys()) {
      if (this.#size <= largestCache || oldest === login) break
      this.forget(oldest)
    }
  }

  /** A commit goes under way. @returns whether it should have the whole world, as reading it would take too long else */
  begin(login: string, after: World, token: string, length: number): boolean {
    this.#tokens.set(after, token)
    const line = this.#worlds.get(login)
    if (!line) return false
    this.forget(login)
    const isLong = line.log + length > Math.max(longestLog, 2 * line.whole)
    const sizes = isLong ? { whole: (line.whole + line.log) / 2, log: 0 } : { log: line.log + length }
    this.#keep(login, Object.assign(line, sizes, { tip: after }))
    return isLong
  }

  /** Redis has it now. */
  succeed(login: string, after: World): void {
    const line = this.#worlds.get(login)
    if (line && isNewer(after, line.base)) line.base = after
  }

  /**
   * Takes in what Redis says of a world, unless something is under way that may be ahead of it.
   * @param base the world that the news is about, if any
   * @returns the world as Redis had it; undefined if there was none
   */
  learn(login: string, base: World | undefined, news: News): World | undefined {
    const [token, load, version, text = '', changes = []] = news
    const line = this.#worlds.get(login)
    if (token === '') {
      this.forget(login)
      return undefined
    }
    if (line && token === this.tokenOf(line.base)) {
      line.isBehind = false
      return line.base
    }
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
    if (line && (line.tip !== line.base || !isNewer(world, line.base))) return world
    const log = changes.reduce((sum, { length }) => sum + length, text === '' && line ? line.log : 0)
    this.#keep(login, { base: world, tip: world, whole: text.length || (line?.whole ?? 0), log })
    return world
  }

  /**
   * A commit was overtaken, and with it all that is under way after it: another line begins. Only the first of them begins
   * one, as the others would put an end to what has been sent on it since.
   * @param line on which the commit was sent
   * @param base the world that the news is about
   * @param news undefined if there is too much
   */
  overtaken(login: string, line: Line | undefined, base: World | undefined, news: News | undefined): void {
    if (this.#worlds.get(login) !== line) return
    if (line) this.#keep(login, { ...line, tip: line.base, isBehind: !news })
    if (news) this.learn(login, base, news)
  }
}

function isNewer(a: World, b: World): boolean {
  return a.origin.load !== b.origin.load || a.version > b.version
}

import { change, worldOf } from '../../world/change.ts'
import type { World, WorldData } from '../../world/World.ts'
import type { Change } from '../Store.ts'

/** What a script says of a world: the token of the commit that made it (empty: it is gone); then all that isn't known yet. */
export type News = [token: string, load?: string, version?: string, whole?: string, changes?: string[]]

/** A world, and what this replica makes of it: another takes its place when one of its commits was overtaken. */
export interface Branch {
  /** As Redis has it */
  base: World
  /** With what is under way: commits are sent in order, so others may build upon it at once */
  tip: World
  /** Whether it was overtaken, so that whatever Redis says next takes its place */
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
  readonly #worlds = new Map<string, Branch>()
  #size = 0

  tokenOf(world: World | undefined): string {
    return (world && this.#tokens.get(world)) ?? ''
  }

  get(login: string): Branch | undefined {
    return this.#worlds.get(login)
  }

  all(): [string, Branch][] {
    return [...this.#worlds]
  }

  clear(): void {
    this.#worlds.clear()
    this.#size = 0
  }

  forget(login: string | undefined): void {
    const branch = login === undefined ? undefined : this.#worlds.get(login)
    if (login === undefined || !branch) return
    this.#worlds.delete(login)
    this.#size -= branch.whole + branch.log
  }

  #keep(login: string, branch: Branch): void {
    this.forget(login)
    this.#worlds.set(login, branch)
    this.#size += branch.whole + branch.log
    for (const oldest of this.#worlds.keys()) {
      if (this.#size <= largestCache || oldest === login) break
      this.forget(oldest)
    }
  }

  /** A commit goes under way. @returns whether it should have the whole world, as reading it would take too long else */
  begin(login: string, after: World, token: string, length: number): boolean {
    this.#tokens.set(after, token)
    const branch = this.#worlds.get(login)
    if (!branch) return false
    this.forget(login)
    const isLong = branch.log + length > Math.max(longestLog, 2 * branch.whole)
    const sizes = isLong ? { whole: (branch.whole + branch.log) / 2, log: 0 } : { log: branch.log + length }
    this.#keep(login, Object.assign(branch, sizes, { tip: after }))
    return isLong
  }

  /** Redis has it now. */
  succeed(login: string, after: World): void {
    const branch = this.#worlds.get(login)
    if (branch && isNewer(after, branch.base)) branch.base = after
  }

  /**
   * Takes in what Redis says of a world, unless something is under way that may be ahead of it.
   * @param base the world that the news is about, if any
   * @returns the world as Redis had it; undefined if there was none
   */
  learn(login: string, base: World | undefined, news: News): World | undefined {
    const [token, load, version, text = '', changes = []] = news
    const branch = this.#worlds.get(login)
    if (token === '') {
      this.forget(login)
      return undefined
    }
    if (branch && token === this.tokenOf(branch.base)) {
      branch.isBehind = false
      return branch.base
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
    const isAhead = branch && (branch.tip !== branch.base || !isNewer(world, branch.base))
    if (isAhead && !branch.isBehind) return world
    const log = changes.reduce((sum, { length }) => sum + length, text === '' && branch ? branch.log : 0)
    this.#keep(login, { base: world, tip: world, whole: text.length || (branch?.whole ?? 0), log })
    return world
  }

  /**
   * A commit was overtaken, and with it all that is under way after it: another branch begins. Only the first of them begins
   * one, as the others would put an end to what has been sent on it since.
   * @param branch on which the commit was sent
   * @param base the world that the news is about
   * @param news undefined if there is too much
   */
  overtaken(
    login: string,
    branch: Branch | undefined,
    base: World | undefined,
    news: News | undefined,
  ): void {
    if (this.#worlds.get(login) !== branch) return
    if (branch) this.#keep(login, { ...branch, tip: branch.base, isBehind: true })
    if (news) this.learn(login, base, news)
  }
}

function isNewer(a: World, b: World): boolean {
  return a.origin.load !== b.origin.load || a.version > b.version
}

import { applyChange } from '../../world/bindings.ts'
import type { World } from '../../world/World.ts'
import type { WorldChange } from '../../world/WorldChange.ts'
import { pairsOf } from '../../pairsOf.ts'

/** A history entry as Redis returns it: `fields` alternates names and values. */
export type HistoryEntry = [id: string, fields: string[]]

/** A cached world, and its position in the history. */
export interface KnownWorld {
  /** `<birth>-<version>`; `-`: there is no such account */
  id: string
  world: World | undefined
  birth: number
  era: number
  /** When it was created or replaced, by the server's clock (ms); 0: with its epoch */
  born: number
  /** Version of the last entry that contains the whole world */
  base: number
  /** Versions of all such entries in the history */
  wholes: number[]
  /** Characters of the whole world at `base`, and of the patches since */
  size: number
  since: number
  /** When its use was last written down, by `performance.now()` */
  used: number
}

/** The cache entry of a login without an account */
export const noAccount: KnownWorld = {
  id: '-',
  world: undefined,
  birth: 0,
  era: 0,
  born: 0,
  base: 0,
  wholes: [],
  size: 0,
  since: 0,
  used: Infinity,
}

function fieldsOf([, fields]: HistoryEntry): Record<string, string> {
  return Object.fromEntries(pairsOf(fields))
}

export function parseId(id: string): { birth: number; version: number } {
  const dash = id.indexOf('-')
  return { birth: Number(id.slice(0, dash)), version: Number(id.slice(dash + 1)) }
}

/**
 * Rebuilds a world from a history entry with the whole world and the patches after it.
 * @param until the last version to apply
 * @returns undefined if the entries don't form such a history
 */
export function readHistory(entries: readonly HistoryEntry[], until = Infinity): KnownWorld | undefined {
  const [first, ...rest] = entries
  if (!first) return undefined
  const { w, k, b, e } = fieldsOf(first)
  if (w === undefined) return undefined
  const { birth, version } = parseId(first[0])
  const known: KnownWorld = {
    id: first[0],
    world: JSON.parse(w) as World,
    birth,
    era: Number(e ?? birth),
    born: Number(b ?? 0),
    base: version,
    wholes: JSON.parse(k ?? '[]') as number[],
    size: w.length,
    since: 0,
    used: 0,
  }
  return follow(known, rest, until) ? known : undefined
}

/** Applies newer entries. @returns false if they don't follow on: the cached world is then unusable */
export function follow(known: KnownWorld, entries: readonly HistoryEntry[], until = Infinity): boolean {
  const { world } = known
  if (!world) return false
  for (const entry of entries) {
    const { p = '[]', w, k, e } = fieldsOf(entry)
    const { birth, version } = parseId(entry[0])
    const patches = JSON.parse(p) as WorldChange[]
    if (birth !== known.birth || version - patches.length !== world.version) return false
    for (const patch of patches) {
      if (world.version >= until) break
      applyChange(world, patch)
      world.version++
    }
    known.id = entry[0]
    if (e !== undefined) known.era = Number(e)
    known.since += p.length
    if (w === undefined) continue
    known.base = version
    known.wholes = JSON.parse(k ?? '[]') as number[]
    known.size = w.length
    known.since = 0
  }
  return true
}

/** An LRU cache of worlds, bounded by the size of their JSON. */
export class WorldCache {
  readonly #limit: number
  /** With the size that an entry was counted with, as it grows while cached */
  readonly #entries = new Map<string, { known: KnownWorld; size: number }>()
  #characters = 0

  /** @param limit characters of JSON */
  constructor(limit: number) {
    this.#limit = limit
  }

  get(login: string): KnownWorld | undefined {
    return this.#entries.get(login)?.known
  }

  /** Adds an entry, or marks it as recently used. */
  set(login: string, known: KnownWorld): void {
    this.delete(login)
    if (!known.world) return // otherwise requests with unknown logins could fill the cache
    const size = known.size + known.since
    this.#entries.set(login, { known, size })
    this.#characters += size
    for (const oldest of this.#entries.keys()) {
      if (this.#characters <= this.#limit || oldest === login) return
      this.delete(oldest)
    }
  }

  delete(login: string): void {
    this.#characters -= this.#entries.get(login)?.size ?? 0
    this.#entries.delete(login)
  }

  clear(): void {
    this.#entries.clear()
    this.#characters = 0
  }

  *worlds(): Generator<World> {
    for (const { known } of this.#entries.values()) if (known.world) yield known.world
  }
}

import { applyChange } from '../../world/bindings.ts'
import type { World } from '../../world/World.ts'
import type { WorldChange } from '../../world/WorldChange.ts'

/** An entry of a world's history, as the server gives it: its id, its fields and their values. */
export type HistoryEntry = [id: string, fields: string[]]

/** A world as it was when it was last looked at, and where that is in its history. */
export interface KnownWorld {
  /** `<birth>-<version>`; `-`: there is no such account */
  id: string
  world: World | undefined
  birth: number
  era: number
  /** When it took its login's place, by the server's clock (ms); 0: with its epoch */
  born: number
  /** Version of the last entry that holds the whole world */
  base: number
  /** Versions of those that are kept */
  wholes: number[]
  /** Characters of that entry, and of the patches since */
  size: number
  since: number
}

/** What is known of a login that has no account */
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
}

function fieldsOf([, fields]: HistoryEntry): Record<string, string> {
  const named: Record<string, string> = {}
  for (let at = 1; at < fields.length; at += 2) named[fields[at - 1] as string] = fields[at] as string
  return named
}

export function parseId(id: string): { birth: number; version: number } {
  const dash = id.indexOf('-')
  return { birth: Number(id.slice(0, dash)), version: Number(id.slice(dash + 1)) }
}

/**
 * Makes a world out of its history: a whole one, and what followed.
 * @param until the last version that counts
 * @returns undefined where the entries are no such history
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
  }
  return follow(known, rest, until) ? known : undefined
}

/** Applies what is missing. @returns false where it does not follow: then what is known is of no use */
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

/** Worlds that were looked at lately; those that were not for longest are forgotten first. */
export class WorldCache {
  readonly #limit: number
  readonly #known = new Map<string, KnownWorld>()
  #characters = 0

  /** @param limit characters of JSON */
  constructor(limit: number) {
    this.#limit = limit
  }

  get(login: string): KnownWorld | undefined {
    return this.#known.get(login)
  }

  /** Keeps what was just seen to be so. */
  set(login: string, known: KnownWorld): void {
    this.delete(login)
    if (!known.world) return // anybody can ask for logins that nobody has
    this.#known.set(login, known)
    this.#characters += sizeOf(known)
    for (const oldest of this.#known.keys()) {
      if (this.#characters <= this.#limit || oldest === login) return
      this.delete(oldest)
    }
  }

  delete(login: string): void {
    const known = this.#known.get(login)
    if (!known) return
    this.#known.delete(login)
    this.#characters -= counted.get(known) ?? 0
  }

  clear(): void {
    this.#known.clear()
    this.#characters = 0
  }

  /** How much is kept: worlds, and characters of JSON. */
  get size(): { worlds: number; characters: number } {
    return { worlds: this.#known.size, characters: this.#characters }
  }

  /** Worlds that are kept */
  *worlds(): Generator<World> {
    for (const { world } of this.#known.values()) if (world) yield world
  }
}

/** What a world was counted for: it grows while it is kept. */
const counted = new WeakMap<KnownWorld, number>()

function sizeOf(known: KnownWorld): number {
  const size = known.size + known.since
  counted.set(known, size)
  return size
}

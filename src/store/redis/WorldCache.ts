import { change, worldOf } from '../../world/change.ts'
import type { World, WorldData } from '../../world/World.ts'
import type { Change } from '../Storage.ts'

/** An entry of a world's stream: its id, and its fields by turns with their values. */
export type Entry = [id: string, fields: string[]]

/** Which commit made a world: what Redis compares. */
const tokens = new WeakMap<World, string>()

export function tokenOf(world: World | undefined): string {
  return (world && tokens.get(world)) ?? ''
}

/** Says which commit makes a world. */
export function mark(world: World, token: string): void {
  tokens.set(world, token)
}

export function idOf({ origin, version }: World): string {
  return `${origin.load}-${version}`
}

/** What is known of an account's world. */
export class Cached {
  /** As Redis has it */
  base: World
  /** With what is under way: it is sent in order, so others may build upon it at once */
  tip: World
  /** The tokens of what is under way */
  readonly pending = new Set<string>()
  /** Characters of the last whole world in the stream, and of the changes since */
  whole = 0
  log = 0
  /** What the cache counts for it */
  size = 0

  constructor(base: World) {
    this.base = this.tip = base
  }

  /** Whether it is time for another whole world: reading one takes as long as the changes since the last. */
  get isLong(): boolean {
    return this.log > Math.max(65_536, 2 * this.whole)
  }

  /** A commit goes under way. */
  begin(world: World, token: string, length: number): void {
    this.pending.add(token)
    this.tip = world
    this.log += length
  }

  succeed(world: World, token: string): void {
    this.pending.delete(token)
    this.base = world
  }

  /** A commit wasn't made; nor will be what was built upon it. */
  fail(token: string): void {
    if (!this.pending.has(token)) return
    this.pending.clear()
    this.tip = this.base
  }

  /** Takes what others made. */
  follow(entries: readonly Entry[], head: string): void {
    const [load, version] = (entries.at(-1)?.[0] ?? '').split('-').map(Number)
    if (head === tokenOf(this.base) || load === undefined || version === undefined) return
    if (load === this.base.origin.load && version <= this.base.version) return // a reply that was overtaken
    this.#read(entries)
    this.pending.clear()
    mark(this.base, head)
    this.tip = this.base
  }

  #read(entries: readonly Entry[]): void {
    this.#measure(entries)
    this.base = worldAfter(entries, this.base) as World
  }

  #measure(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const { w = '', p = '' } = fieldsOf(entry)
      if (w !== '') [this.whole, this.log] = [w.length, 0]
      else this.log += p.length
    }
  }

  /** What the entries give, of which the first has a whole world; undefined if there are none. */
  static of(entries: readonly Entry[], head: string): Cached | undefined {
    const world = worldAfter(entries)
    if (!world) return undefined
    const cached = new Cached(world)
    cached.#measure(entries)
    mark(cached.base, head)
    return cached
  }
}

/** The world after entries. @param version stop there */
export function worldAfter(entries: readonly Entry[], before?: World, version = Infinity): World | undefined {
  let world = before
  for (const entry of entries.slice(Math.max(0, entries.findLastIndex(isWhole)))) {
    const { w, p } = fieldsOf(entry)
    if (w !== undefined) world = readWorld(w, entry[0])
    else if (world && world.version < Number(entry[0].split('-')[1]))
      for (const { patch } of JSON.parse(p as string) as Change[])
        if (world.version < version) world = change(world, patch)
  }
  return world
}

function isWhole(entry: Entry): boolean {
  return fieldsOf(entry)['w'] !== undefined
}

/** Redis numbers the loads. */
function readWorld(text: string, id: string): World {
  const world = worldOf(JSON.parse(text) as WorldData)
  return { ...world, origin: { ...world.origin, load: Number(id.split('-')[0]) } }
}

export function fieldsOf([, fields]: Entry): Record<string, string | undefined> {
  const named: Record<string, string> = {}
  for (let i = 0; i < fields.length; i += 2) named[fields[i] as string] = fields[i + 1] as string
  return named
}

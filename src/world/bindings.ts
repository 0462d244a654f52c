import { mergePatch } from './mergePatch.ts'
import { unshare } from './sharing.ts'
import type { World } from './World.ts'
import type { WorldChange } from './WorldChange.ts'

/**
 * Bound address → service id. Derived from the world and kept beside it, so that orders and binding changes don't scan
 * all services.
 */
const indexes = new WeakMap<World, Map<string, string>>()

/** Builds the index unless there is one. */
export function indexBindings(world: World): void {
  indexOf(world)
}

function indexOf(world: World): Map<string, string> {
  let index = indexes.get(world)
  if (!index) {
    index = new Map()
    for (const [id, { bindedip }] of Object.entries(world.services)) if (bindedip) index.set(bindedip, id)
    indexes.set(world, index)
  }
  return index
}

/** The id of the service that an address is bound to. */
export function serviceBoundTo(world: World, ip: string): string | undefined {
  return indexOf(world).get(ip)
}

let contents = 0
const contentNumbers = new WeakMap<World, number>()

/** A number that identifies a world's content: it is unique across worlds, and differs after every change. */
export function contentOf(world: World): number {
  let content = contentNumbers.get(world)
  if (content === undefined) contentNumbers.set(world, (content = ++contents))
  return content
}

/** The levels that are changed in place, as they can be large: the world and its maps of records. */
const inPlace = 2

/**
 * Applies a change to the world in place, at a cost that depends on the change. Records are replaced, never mutated, so
 * that worlds can share them (`copyWorld`).
 */
export function applyChange(world: World, change: WorldChange): void {
  contentNumbers.set(world, ++contents)
  const index = indexes.get(world)
  const touched = index && change.services ? Object.keys(change.services) : []
  for (const id of touched) {
    const ip = world.services[id]?.bindedip
    if (ip !== undefined && index?.get(ip) === id) index.delete(ip)
  }
  unshare(world, change)
  mergePatch(world, change, inPlace)
  for (const id of touched) {
    const ip = world.services[id]?.bindedip
    if (ip) index?.set(ip, id)
  }
}

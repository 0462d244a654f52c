import { change, touchedParts } from './change.ts'
import { isObject, mergePatch } from './mergePatch.ts'
import type { Table } from './Table.ts'
import type { NamedProduct, NamedService, NamedWorld, World, WorldChange } from './World.ts'

/** A world as a patch is about to change it. The cost depends on the patch, not on the size of the world. */
export interface Draft {
  world: World
  /** The patch as given; null removes */
  patch: Readonly<Record<string, unknown>>
  /** What the patch touches, patched, without defaults. Removed records are absent. */
  named: Partial<NamedWorld>
  /** Whether the world is being built from scratch, so that the patch is all there is */
  isNew: boolean
}

/** The parts of a world that a merge patch touches, patched; records are included whole. Doesn't validate anything. */
export function touched(world: object, patch: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const named = mergePatch(touchedParts(world, patch), patch) as Record<string, unknown>
  const { services } = patch
  if (!isObject(services) || !isObject(named['services'])) return named
  // If it were absent, an address would be generated; an empty one means that the service has none.
  for (const [id, service] of Object.entries(services))
    if (isObject(service) && service['bindedip'] === null)
      named['services'] = mergePatch(named['services'], { [id]: { bindedip: '' } })
  return named
}

/** All products and services as they will be, without what is filled in. */
export function recordsAfter({ world, patch }: Draft): {
  products: Table<NamedProduct>
  services: Table<NamedService>
} {
  const { products, services } = patch as WorldChange
  return change(world, {
    ...(products !== undefined && { products }),
    ...(services !== undefined && { services }),
  })
}

import { change, touchedParts } from '../world/change.ts'
import { mergePatch } from '../world/mergePatch.ts'
import type { Table } from '../world/Table.ts'
import type { Instant } from '../world/time.ts'
import type { ProductInput, ServiceInput, WorldInput, Service, World, WorldChange } from '../world/World.ts'
import { livingSessions } from './sticky.ts'

/** A world as a patch is about to change it. The cost depends on the patch, not on the size of the world. */
export interface Draft {
  world: World
  /** The patch as given; null removes */
  patch: Readonly<Record<string, unknown>>
  /** What the patch touches, patched, without defaults. Removed records are absent. */
  named: Partial<WorldInput>
  /** Whether the world is being built from scratch, so that the patch is all there is */
  isNew: boolean
}

/** @param shown the world with its clock as a scenario says it, if the patch may be about that. Doesn't validate anything */
export function draftOf(
  world: World,
  patch: Readonly<Record<string, unknown>>,
  now: Instant,
  shown: object = world,
): Draft {
  const parts = touchedParts(shown, patch)
  for (const [id, service] of Object.entries((parts['services'] ?? {}) as Record<string, Service>)) {
    const { sticky } = service
    if (!sticky) continue
    // Those that have expired are gone: a longer TTL doesn't bring them back.
    const sessions = livingSessions(sticky, now)
    Object.assign(parts['services'] as object, { [id]: { ...service, sticky: { ...sticky, sessions } } })
  }
  const named = mergePatch(parts, patch) as Partial<WorldInput>
  return { world, patch, named, isNew: false }
}

/** All products and services as they will be, without what is filled in. */
export function recordsAfter({ world, patch }: Draft): {
  products: Table<ProductInput>
  services: Table<ServiceInput>
} {
  const { products, services } = patch as WorldChange
  return change(world, {
    ...(products !== undefined && { products }),
    ...(services !== undefined && { services }),
  })
}

import { applyPatch, touchedParts } from '../world/change.ts'
import { mergePatch } from '../world/mergePatch.ts'
import type { Table } from '../world/Table.ts'
import type { Instant } from '../world/time.ts'
import type { ProductInput, ServiceInput, WorldInput, Service, World, WorldChange } from '../world/World.ts'
import { liveSessions } from './sticky.ts'

/** A world that a patch is about to change. The cost depends on the patch, not on the size of the world. */
export interface Draft {
  world: World
  /** The patch as given; null removes a record or field */
  patch: Readonly<Record<string, unknown>>
  /** The patched parts of the world, without defaults. Removed records are missing. */
  input: Partial<WorldInput>
  /** Whether the world is new, so that the patch contains all of it */
  isNew: boolean
}

/** Creates a draft without validating it. @param shown the world with its clock in scenario form, if the patch may change the clock */
export function createDraft(
  world: World,
  patch: Readonly<Record<string, unknown>>,
  now: Instant,
  shown: object = world,
): Draft {
  const parts = touchedParts(shown, patch)
  for (const [id, service] of Object.entries((parts['services'] ?? {}) as Record<string, Service>)) {
    const { sticky } = service
    if (!sticky) continue
    // Expired sessions are removed, so that a longer TTL doesn't restore them.
    const sessions = liveSessions(sticky, now)
    Object.assign(parts['services'] as object, { [id]: { ...service, sticky: { ...sticky, sessions } } })
  }
  const input = mergePatch(parts, patch) as Partial<WorldInput>
  return { world, patch, input, isNew: false }
}

/** All products and services after the patch, without defaults. */
export function recordsAfter({ world, patch }: Draft): {
  products: Table<ProductInput>
  services: Table<ServiceInput>
} {
  const { products, services } = patch as WorldChange
  return applyPatch(world, {
    ...(products !== undefined && { products }),
    ...(services !== undefined && { services }),
  })
}

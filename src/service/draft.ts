import { applyPatch, touchedParts } from '../world/change.ts'
import {
  type EntryMap,
  type EntryPart,
  entryParts,
  type ListIds,
  listIds,
  mergeAccount,
  toEntryMap,
} from '../world/entries.ts'
import { omittedFaults } from '../world/faults.ts'
import { isObject } from '../world/mergePatch.ts'
import type { Table } from '../world/Table.ts'
import type { Instant } from '../world/time.ts'
import type {
  EntryInput,
  FaultInput,
  NextIds,
  ProductInput,
  Service,
  ServiceInput,
  TimelineEvent,
  World,
  WorldChange,
  WorldInput,
} from '../world/World.ts'
import { liveSessions } from './sticky.ts'

/** A world that a patch is about to change. The cost depends on the patch, not on the size of the world. */
export interface Draft {
  world: World
  /** The patch, with entries by id; null removes a record, an entry or a field */
  patch: Readonly<Record<string, unknown>>
  /** The patched parts of the world, without defaults. Removed records are missing. */
  input: DraftInput
  /** The ids of entries that were listed */
  lists: ListIds
  /** Whether the world is new, so that the patch contains all of it */
  isNew: boolean
}

export interface DraftInput extends Omit<Partial<WorldInput>, EntryPart> {
  faults?: EntryMap<FaultInput>
  timeline?: EntryMap<EntryInput>
  history?: EntryMap<TimelineEvent>
}

const counters = { faults: 'fault', timeline: 'timeline', history: undefined } as const

/** The patch with its entries by id, and the ids of those that were listed. A list replaces all entries. */
export function withEntryMaps<T extends object>(
  patch: T,
  world?: World,
): { patch: Omit<T, EntryPart> & Pick<DraftInput, EntryPart>; lists: ListIds } {
  const given = patch as Readonly<Record<string, unknown>>
  const next = { ...world?.next, ...(isObject(given['next']) && given['next']) } as Partial<NextIds>
  const lists: Record<string, number[]> = {}
  const maps: Record<string, unknown> = {}
  for (const part of entryParts) {
    const entries = given[part]
    const counter = counters[part]
    if (Array.isArray(entries)) lists[part] = listIds(part, entries, counter && next[counter])
    if (Array.isArray(entries) || isObject(entries)) maps[part] = toEntryMap(part, entries, lists[part])
    if (world && lists[part]) maps[part] = { ...removeAll(world, part), ...Object(maps[part]) }
  }
  if (world && isObject(maps['faults']))
    maps['faults'] = {
      ...Object.fromEntries(omittedFaults(world).map((id) => [id, null])),
      ...maps['faults'],
    }
  return { patch: { ...patch, ...maps }, lists }
}

function removeAll(world: World, part: EntryPart): Record<string, null> {
  return Object.fromEntries([...world[part].keys()].map((id) => [id, null]))
}

/** Creates a draft without validating it. @param shown the world with its clock in scenario form, if the patch may change the clock */
export function createDraft(
  world: World,
  given: Readonly<Record<string, unknown>>,
  now: Instant,
  shown: object = world,
): Draft {
  const { patch, lists } = withEntryMaps(given, world)
  const parts = touchedParts(shown, patch)
  for (const [id, service] of Object.entries((parts['services'] ?? {}) as Record<string, Service>)) {
    const { sticky } = service
    if (!sticky) continue
    // Expired sessions are removed, so that a longer TTL doesn't restore them.
    const sessions = liveSessions(sticky, now)
    Object.assign(parts['services'] as object, { [id]: { ...service, sticky: { ...sticky, sessions } } })
  }
  const input = mergeAccount(parts, patch) as DraftInput
  return { world, patch, input, lists, isNew: false }
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

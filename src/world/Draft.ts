import { isKind } from './change.ts'
import { isObject, mergePatch } from './mergePatch.ts'
import type { NamedProduct, NamedService, NamedWorld } from './NamedWorld.ts'
import type { Table } from './Table.ts'
import type { Kind, World } from './World.ts'

/**
 * A world as a patch is about to change it: everything the patch touches, with the patch applied and no defaults filled
 * in yet. The cost depends on the patch, not on the size of the world.
 */
export interface Draft {
  world: World
  /** The patch as given; null removes */
  patch: Readonly<Record<string, unknown>>
  /** What the patch touches, after patching. Removed records are absent. */
  named: Partial<NamedWorld>
  /** Whether the world is being built from scratch, so that the patch is all there is */
  isNew: boolean
}

/** The parts of a value that a merge patch touches, patched; records are included whole. Doesn't validate anything. */
export function touched(
  world: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const named: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(patch)) {
    if (key === '__proto__' || value === null) continue
    const old = Object.hasOwn(world, key) ? world[key] : undefined
    named[key] =
      isKind(key) && isObject(value) ? patchedRecords(old as Table<object>, value) : mergePatch(old, value)
  }
  return named
}

function patchedRecords(records: Table<object>, patch: Record<string, unknown>): Record<string, unknown> {
  const named: Record<string, unknown> = {}
  for (const [id, value] of Object.entries(patch)) {
    if (id === '__proto__' || value === null) continue
    const record = mergePatch(records.get(id), value)
    // If it were absent, an address would be generated; an empty one means that the service has none.
    const isUnbound = isObject(record) && isObject(value) && value['bindedip'] === null
    named[id] = isUnbound ? { ...record, bindedip: '' } : record
  }
  return named
}

/** All products and services as they will be, without what is filled in. */
export function recordsOf({ world, patch, named }: Draft): {
  products: Table<NamedProduct>
  services: Table<NamedService>
} {
  const after = <T>(kind: 'products' | 'services'): Table<T> => {
    const table = world[kind] as Table<unknown> as Table<T>
    const given = patch[kind]
    if (given === undefined) return table
    const records = (named[kind] ?? {}) as Record<string, T>
    const ids = isObject(given) ? Object.keys(given) : [...table.keys()].map(String)
    const isKnown = (id: string): boolean => Object.hasOwn(records, id) || table.has(id)
    return table.with(ids.filter(isKnown).map((id) => [Number(id), records[id]]))
  }
  return { products: after('products'), services: after('services') }
}

/** The fields of a record that the patch itself sets. */
export function patchedFieldsOf({ patch }: Draft, kind: Kind, id: string): Readonly<Record<string, unknown>> {
  const records = patch[kind]
  const record = isObject(records) && Object.hasOwn(records, id) ? records[id] : undefined
  return isObject(record) ? record : {}
}

import { isObject, mergePatch } from './mergePatch.ts'
import type { NamedProduct, NamedService, NamedWorld } from './NamedWorld.ts'
import type { Table } from './Table.ts'
import type { ProductType } from './values.ts'
import { isKind } from './change.ts'
import type { Kind, Product, World } from './World.ts'

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
      isKind(key) && isObject(value) ? touchedRecords(old as Table<object>, value) : mergePatch(old, value)
  }
  return named
}

function touchedRecords(records: Table<object>, patch: Record<string, unknown>): Record<string, unknown> {
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

interface NamedRecords {
  products: NamedProduct
  services: NamedService
}

/** A record as it will be once the draft is applied. */
export function recordOf<K extends keyof NamedRecords>(
  { world, patch, named }: Draft,
  kind: K,
  id: string | number,
): NamedRecords[K] | undefined {
  const key = String(id)
  const drafted: Record<string, NamedRecords[K]> | undefined = named[kind] as never
  if (drafted && Object.hasOwn(drafted, key)) return drafted[key]
  const records = patch[kind]
  const isRemoved = records === null || (isObject(records) && Object.hasOwn(records, key))
  return isRemoved ? undefined : (world[kind].get(key) as NamedRecords[K] | undefined)
}

/** The only place that decides a service's type: its own field, or else its product's. */
export function typeOf(
  { product_type }: Pick<NamedService, 'product_type'>,
  product: Pick<Product, 'product_type'> | undefined,
): ProductType | undefined {
  return product_type ?? product?.product_type
}

/** The fields of a record that the patch itself sets. */
export function patchedFieldsOf({ patch }: Draft, kind: Kind, id: string): Readonly<Record<string, unknown>> {
  const records = patch[kind]
  const record = isObject(records) && Object.hasOwn(records, id) ? records[id] : undefined
  return isObject(record) ? record : {}
}

import { isObject, mergePatch } from './mergePatch.ts'
import type { NamedProduct, NamedService, NamedWorld } from './NamedWorld.ts'
import { own } from './own.ts'
import type { ProductType } from './values.ts'
import type { Product, World } from './World.ts'

/** The parts of a world that are maps of records by id. */
export const kinds = ['clients', 'products', 'services', 'invoices'] as const
type Kind = (typeof kinds)[number]

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
export function touched(world: object, patch: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const named: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(patch)) {
    if (key === '__proto__' || value === null) continue
    const old = own(world as Record<string, unknown>, key)
    named[key] = isKind(key) && isObject(value) ? touchedRecords(old as object, value) : merged(old, value)
  }
  return named
}

function touchedRecords(records: object, patch: Record<string, unknown>): Record<string, unknown> {
  const named: Record<string, unknown> = {}
  for (const [id, value] of Object.entries(patch)) {
    if (id === '__proto__' || value === null) continue
    const record = merged(own(records as Record<string, unknown>, id), value)
    // If it were absent, an address would be generated; an empty one means that the service has none.
    if (isObject(record) && isObject(value) && value['bindedip'] === null) record['bindedip'] = ''
    named[id] = record
  }
  return named
}

/** Applies the patch to a copy. */
function merged(value: unknown, patch: unknown): unknown {
  return mergePatch(structuredClone(value), patch)
}

function isKind(key: string): key is Kind {
  return kinds.some((kind) => kind === key)
}

interface Records {
  products: NamedProduct
  services: NamedService
}

/** A record as it will be once the draft is applied. */
export function recordOf<K extends keyof Records>(
  { world, patch, named }: Draft,
  kind: K,
  id: string | number,
): Records[K] | undefined {
  const key = String(id)
  const drafted = own((named[kind] ?? {}) as Record<string, Records[K]>, key)
  if (drafted) return drafted
  const records = patch[kind]
  const isRemoved = records === null || (isObject(records) && Object.hasOwn(records, key))
  return isRemoved ? undefined : own(world[kind] as Record<string, Records[K]>, key)
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
  const record = isObject(records) ? own(records, id) : undefined
  return isObject(record) ? record : {}
}

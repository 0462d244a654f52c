import { isObject, mergePatch } from './mergePatch.ts'
import type { NamedProduct, NamedService, NamedWorld } from './NamedWorld.ts'
import { own } from './own.ts'
import type { ProductType } from './values.ts'
import type { Product, World } from './World.ts'

/** What a world keeps by id. */
export const kinds = ['clients', 'products', 'services', 'invoices'] as const
type Kind = (typeof kinds)[number]

/**
 * What a patch is about to make of a world: all that it touches, with the patch applied, and nothing filled in yet.
 * It costs what the patch costs, however large the world is.
 */
export interface Draft {
  world: World
  /** What the patch itself says: null removes */
  patch: Readonly<Record<string, unknown>>
  /** What the patch touches, as it leaves it; what it removes is absent. */
  named: Partial<NamedWorld>
  /** Whether the world is only being built; then the patch is all that it will be. */
  isNew: boolean
}

/** Of a value what a merge patch touches, patched: records as a whole. Its form is not checked. */
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
    // Removed, an address would be generated again; a service that is to have none says so by being empty.
    if (isObject(record) && isObject(value) && value['bindedip'] === null) record['bindedip'] = ''
    named[id] = record
  }
  return named
}

/** The patch applied to a copy. */
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

/** A record as the draft leaves it. */
export function recordOf<K extends keyof Records>(
  { world, patch, named }: Draft,
  kind: K,
  id: string | number,
): Records[K] | undefined {
  const key = String(id)
  const ours = own((named[kind] ?? {}) as Record<string, Records[K]>, key)
  if (ours) return ours
  const records = patch[kind]
  const isRemoved = records === null || (isObject(records) && Object.hasOwn(records, key))
  return isRemoved ? undefined : own(world[kind] as Record<string, Records[K]>, key)
}

/** The one place that decides a service's type: its own field, else its product's. */
export function typeOf(
  { product_type }: Pick<NamedService, 'product_type'>,
  product: Pick<Product, 'product_type'> | undefined,
): ProductType | undefined {
  return product_type ?? product?.product_type
}

/** What the patch itself says of a record. */
export function saidOf({ patch }: Draft, kind: Kind, id: string): Readonly<Record<string, unknown>> {
  const records = patch[kind]
  const record = isObject(records) ? own(records, id) : undefined
  return isObject(record) ? record : {}
}

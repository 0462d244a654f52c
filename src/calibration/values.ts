import { mergePatch } from '../world/mergePatch.ts'
import type { World } from '../world/World.ts'
// A seam until worlds are values
export type Kind = 'clients' | 'products' | 'services' | 'invoices'

function patched(target: Record<string, unknown>, patch: Record<string, unknown>, levels: number): Record<string, unknown> {
  const result = { ...target }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else if (levels > 1 && typeof value === 'object' && !Array.isArray(value))
      result[key] = patched((result[key] ?? {}) as never, value as never, levels - 1)
    else result[key] = mergePatch(structuredClone(result[key]), value)
  }
  return result
}
export function change(world: World, patch: object): World {
  return patched(world as never, patch as never, 3) as never
}
export function recordsOf(world: World, kind: Kind) {
  const all = world[kind] as Record<string, object>
  return {
    get: (id: string | number): object | undefined => (Object.hasOwn(all, String(id)) ? all[id] : undefined),
    has: (id: string | number) => Object.hasOwn(all, String(id)),
    keys: () => Object.keys(all).map(Number),
    entries: () => Object.entries(all).map(([id, one]) => [Number(id), one] as const),
  }
}

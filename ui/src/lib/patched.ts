import type { Patch } from './types.ts'

export function isBag(value: unknown): value is Patch {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** JSON Merge Patch that leaves its target alone: what is drawn is compared by identity. */
export function patched<T>(target: T, patch: unknown): T {
  if (!isBag(patch)) return patch as T
  const result: Patch = isBag(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (key === '__proto__') continue
    if (value === null) delete result[key]
    else result[key] = patched(result[key], value)
  }
  return result as T
}

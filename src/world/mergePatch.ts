/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export type JsonObject = Record<string, unknown>

/** Whether a value is an object other than null or an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Applies a JSON Merge Patch (RFC 7386) and returns the result. Target and patch are unchanged; the result shares parts
 * with both. The cost depends on the patch and on the objects along its paths.
 * @example mergePatch({ a: 1, b: { c: 2 } }, { b: { c: null, d: 3 } }) // { a: 1, b: { d: 3 } }
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const old = isObject(target) ? target : undefined
  if (!old && Object.values(patch).every(isShareable)) return patch // no nulls to remove, so the patch itself is the result
  const result: JsonObject = { ...(old ?? patch) }
  for (const key of Object.keys(patch)) {
    const value = patch[key]
    // We never use `__proto__` as a key, and assigning it would replace the prototype.
    if (value === null || key === '__proto__') delete result[key]
    else result[key] = mergePatch(old && Object.hasOwn(old, key) ? old[key] : undefined, value)
  }
  return result
}

function isShareable(value: unknown): boolean {
  return value !== null && !isObject(value)
}

/** The smallest merge patch that turns `from` into `to`; undefined if they are equal. */
export function diffPatch(from: unknown, to: unknown): unknown {
  if (from === to) return undefined
  if (!isObject(from) || !isObject(to)) return JSON.stringify(from) === JSON.stringify(to) ? undefined : to
  const patch: JsonObject = {}
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) patch[key] = null
  for (const [key, value] of Object.entries(to)) {
    const difference = Object.hasOwn(from, key) ? diffPatch(from[key], value) : value
    if (difference !== undefined) patch[key] = difference
  }
  return Object.keys(patch).length ? patch : undefined
}

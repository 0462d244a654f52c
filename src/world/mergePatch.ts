/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

type Bag = Record<string, unknown>

/** A plain object, neither null nor an array. */
export function isObject(value: unknown): value is Bag {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * JSON Merge Patch (RFC 7386), applied in place: the cost is the patch's, not the target's.
 * Values that are set are the patch's own objects, so a patch must not be altered after it was applied.
 * @param levels of objects that are changed in place; deeper ones are replaced by changed copies
 * @returns the patched value: the target itself where both are objects
 */
export function mergePatch(target: unknown, patch: unknown, levels = Infinity): unknown {
  if (!isObject(patch)) return patch
  const result: Bag = !isObject(target) ? {} : levels > 0 ? target : { ...target }
  for (const key of Object.keys(patch)) {
    if (key === '__proto__') continue // never a name of ours, and assigning it would swap the prototype
    const value = patch[key]
    if (value === null) delete result[key]
    else if (isObject(value)) {
      const old = Object.hasOwn(result, key) ? result[key] : undefined
      result[key] = isObject(old) ? mergePatch(old, value, levels - 1) : withoutNulls(value)
    } else result[key] = value
  }
  return result
}

/** What a patch makes of nothing: nulls remove, and there is nothing to remove. */
function withoutNulls(value: Bag): Bag {
  // A new record, mostly; copied at once it costs half.
  return isFlat(value) ? { ...value } : (mergePatch({}, value) as Bag)
}

/** Whether nothing in a patch removes, and nothing in it is a patch again. */
function isFlat(patch: Bag): boolean {
  for (const key of Object.keys(patch)) {
    const value = patch[key]
    if (value === null || key === '__proto__' || isObject(value)) return false
  }
  return true
}

/**
 * The patch that takes `patch` back: applied after it, the target is as it was. It costs what the patch costs.
 * A value that was replaced whole is kept by reference.
 */
export function inversePatch(target: Readonly<Bag>, patch: Readonly<Bag>): Bag {
  const inverse: Bag = {}
  for (const key of Object.keys(patch)) {
    if (key === '__proto__') continue
    const value = patch[key]
    if (!Object.hasOwn(target, key)) inverse[key] = null
    else if (isObject(value) && isObject(target[key])) inverse[key] = inversePatch(target[key], value)
    else inverse[key] = target[key]
  }
  return inverse
}

/** The smallest merge patch that turns `from` into `to`; undefined where they are equal. */
export function diffPatch(from: unknown, to: unknown): unknown {
  if (!isObject(from) || !isObject(to)) return same(from, to) ? undefined : to
  const patch: Bag = {}
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) patch[key] = null
  for (const [key, value] of Object.entries(to)) {
    const difference = Object.hasOwn(from, key) ? diffPatch(from[key], value) : value
    if (difference !== undefined) patch[key] = difference
  }
  return Object.keys(patch).length ? patch : undefined
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))
}

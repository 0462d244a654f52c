/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

type Bag = Record<string, unknown>

/** A plain object, neither null nor an array. */
export function isObject(value: unknown): value is Bag {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Applies a JSON Merge Patch (RFC 7386) in place; the cost depends on the patch, not on the target. Values that are set
 * are the patch's own objects, so don't mutate a patch after applying it.
 * @param levels how many levels of objects to change in place; deeper ones are replaced by changed copies
 * @returns the patched value: the target itself if both are objects
 */
export function mergePatch(target: unknown, patch: unknown, levels = Infinity): unknown {
  if (!isObject(patch)) return patch
  const result: Bag = !isObject(target) ? {} : levels > 0 ? target : { ...target }
  for (const key of Object.keys(patch)) {
    if (key === '__proto__') continue // never one of our keys, and assigning it would replace the prototype
    const value = patch[key]
    if (value === null) delete result[key]
    else if (isObject(value)) {
      const old = Object.hasOwn(result, key) ? result[key] : undefined
      if (isObject(old)) result[key] = mergePatch(old, value, levels - 1)
      // what isn't changed in place can be shared with the patch
      else result[key] = levels <= 1 && isFlat(value) ? value : withoutNulls(value)
    } else result[key] = value
  }
  return result
}

/** Applies a patch to nothing: nulls are left out, as there is nothing to remove. */
function withoutNulls(value: Bag): Bag {
  // Mostly a new record; a plain copy takes half the time.
  return isFlat(value) ? { ...value } : (mergePatch({}, value) as Bag)
}

/** Whether a patch has no removals and no nested patches. */
function isFlat(patch: Bag): boolean {
  for (const key of Object.keys(patch)) {
    const value = patch[key]
    if (value === null || key === '__proto__' || isObject(value)) return false
  }
  return true
}

/**
 * The patch that undoes `patch`: applied after it, it restores the target. The cost depends on the patch. Values that
 * were replaced whole are kept by reference.
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

/** The smallest merge patch that turns `from` into `to`; undefined if they are equal. */
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

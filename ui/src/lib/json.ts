import type { Patch } from './types.ts'

export function isObject(value: unknown): value is Patch {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The smallest merge patch that turns `from` into `to`; undefined if they are equal. */
export function diffPatch(from: unknown, to: unknown): unknown {
  if (!isObject(from) || !isObject(to)) return JSON.stringify(from) === JSON.stringify(to) ? undefined : to
  const patch: Patch = {}
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) patch[key] = null
  for (const [key, value] of Object.entries(to)) {
    const difference = Object.hasOwn(from, key) ? diffPatch(from[key], value) : value
    if (difference !== undefined) patch[key] = difference
  }
  return Object.keys(patch).length > 0 ? patch : undefined
}

/** A text as JSON; undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A value in a line: a text as it is, anything else as JSON; empty if there is none. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const texts = new WeakMap<object, string>()

/** What is searched for in an object: values of it, in lower case; made once. */
export function searchText(object: object, values: () => readonly unknown[]): string {
  const text = texts.get(object) ?? values().map(textOf).join('\n').toLowerCase()
  texts.set(object, text)
  return text
}

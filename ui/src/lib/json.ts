export { diffPatch, isObject } from '../../../src/world/mergePatch.ts'

/** The value of a JSON text; undefined if the text is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A value in one line: a text unchanged, other values as JSON; empty if undefined. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const texts = new WeakMap<object, string>()

/** The searchable values of an object, in lower case; cached. */
export function searchText(object: object, values: () => readonly unknown[]): string {
  const text = texts.get(object) ?? values().map(textOf).join('\n').toLowerCase()
  texts.set(object, text)
  return text
}

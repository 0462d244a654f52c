export { diffPatch, isObject } from '../../../src/world/mergePatch.ts'

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

/** The searchable values of an object, in lower case; cached. */
export function searchText(object: object, values: () => readonly unknown[]): string {
  const text = texts.get(object) ?? values().map(textOf).join('\n').toLowerCase()
  texts.set(object, text)
  return text
}

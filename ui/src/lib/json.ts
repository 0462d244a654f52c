export { diffPatch, isObject } from '../../../src/world/mergePatch.ts'

/** Parses JSON. Returns undefined if the text is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Formats a value on one line: text unchanged, other values as JSON, null and undefined as empty text. */
export function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const texts = new WeakMap<object, string>()

/** An object's searchable text in lower case, cached. */
export function getSearchText(object: object, getValues: () => readonly unknown[]): string {
  const text = texts.get(object) ?? getValues().map(toText).join('\n').toLowerCase()
  texts.set(object, text)
  return text
}

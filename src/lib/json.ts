import { quoted } from './text.ts'

/** The fields that are not undefined. */
export function pickDefined<T extends object>(
  fields: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

/** The value of a JSON text; undefined if the text is missing, invalid, or nested too deeply. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined || isDeep(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Describes a key that parsing or copying a JSON text would lose: one that occurs twice in an object, or `__proto__`. */
export function findLostKey(text: string, value: unknown): string | undefined {
  // Each key is followed by a colon. Counting is far cheaper than comparing.
  let count = 0
  let hasPrototype = false
  forEachKey(value, (key) => {
    count++
    hasPrototype ||= key === '__proto__' // would set the prototype of copies
  })
  if (hasPrototype) return 'Unknown field "__proto__"'
  if (countColons(text) === count) return undefined
  const remaining = new Map<string, number>()
  forEachKey(value, (key) => remaining.set(key, (remaining.get(key) ?? 0) + 1))
  for (const [, literal = '', separator] of text.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g)) {
    if (separator === undefined) continue
    const key = JSON.parse(literal) as string
    const left = remaining.get(key) ?? 0
    if (left === 0) return `The key ${quoted(key)} appears twice`
    remaining.set(key, left - 1)
  }
  return undefined
}

function forEachKey(value: unknown, visit: (key: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) for (const item of value) forEachKey(item, visit)
  else
    for (const key of Object.keys(value)) {
      visit(key)
      forEachKey((value as Record<string, unknown>)[key], visit)
    }
}

/** Maximum nesting of arrays and objects. Far deeper values overflow the stack of JSON.stringify and recursive functions. */
export const maxDepth = 100

/** Whether a JSON text is nested too deeply, determined without parsing it. */
export function isDeep(text: string): boolean {
  return findTooDeep(text) >= 0
}

/** The index of the bracket that nests a JSON text too deeply; -1 if there is none. */
export function findTooDeep(text: string): number {
  if (text.length <= maxDepth) return -1
  let depth = 0
  return findCode(text, (code) => {
    if (code === openArray || code === openObject) depth++
    else if (code === closeArray || code === closeObject) depth--
    return depth > maxDepth
  })
}

function countColons(text: string): number {
  let count = 0
  findCode(text, (code) => {
    if (code === colon) count++
    return false
  })
  return count
}

/** The index of the first character code of a JSON text, outside of its strings, for which a test is true; -1 if there is none. */
function findCode(text: string, isFound: (code: number) => boolean): number {
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (inString) {
      if (code === backslash) i++
      else if (code === quote) inString = false
    } else if (code === quote) inString = true
    else if (isFound(code)) return i
  }
  return -1
}

const [quote, backslash, openArray, closeArray, openObject, closeObject, colon] = [
  34, 92, 91, 93, 123, 125, 58,
]

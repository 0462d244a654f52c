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

/** Finds a key that occurs twice in an object of a JSON text. Only its last value would be parsed. */
export function duplicateKey(text: string, value: unknown): string | undefined {
  // Each key is followed by a colon. Counting is far cheaper than comparing.
  let count = 0
  forEachKey(value, () => count++)
  if (countColons(text) === count) return undefined
  const remaining = new Map<string, number>()
  forEachKey(value, (key) => remaining.set(key, (remaining.get(key) ?? 0) + 1))
  for (const [, literal = '', separator] of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?/g)) {
    if (separator === undefined) continue
    const key = JSON.parse(literal) as string
    const left = remaining.get(key) ?? 0
    if (left === 0) return key
    remaining.set(key, left - 1)
  }
  return undefined
}

/** Whether an object has the key `__proto__`, which would set the prototype of copies. */
export function hasPrototypeKey(value: unknown): boolean {
  let found = false
  forEachKey(value, (key) => (found ||= key === '__proto__'))
  return found
}

function forEachKey(value: unknown, visit: (key: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    if (!Array.isArray(value)) visit(key)
    forEachKey((value as Record<string, unknown>)[key], visit)
  }
}

/** Maximum nesting of arrays and objects. Far deeper values overflow the stack of JSON.stringify and recursive functions. */
const maxDepth = 100

/** Whether a JSON text is nested too deeply, determined without parsing it. */
export function isDeep(text: string): boolean {
  if (text.length <= maxDepth) return false
  let depth = 0
  return someCode(text, (code) => {
    if (code === openArray || code === openObject) depth++
    else if (code === closeArray || code === closeObject) depth--
    return depth > maxDepth
  })
}

function countColons(text: string): number {
  let count = 0
  someCode(text, (code) => {
    if (code === colon) count++
    return false
  })
  return count
}

/** Visits the character codes of a JSON text outside of its strings, until one is found. */
function someCode(text: string, isFound: (code: number) => boolean): boolean {
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (inString) {
      if (code === backslash) i++
      else if (code === quote) inString = false
    } else if (code === quote) inString = true
    else if (isFound(code)) return true
  }
  return false
}

const [quote, backslash, openArray, closeArray, openObject, closeObject, colon] = [
  34, 92, 91, 93, 123, 125, 58,
]

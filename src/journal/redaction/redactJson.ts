import { isObject } from '../../world/mergePatch.ts'
import { isPlainName, isSecretName } from './isSecretName.ts'
import { redacted } from './redacted.ts'

interface JsonRedaction {
  /** Redacts a string, or the text between strings; what starts after `limit` is left out */
  cover: (text: string, limit: number) => string
  /** Called with the value of each field that has a credential's name */
  found?: (value: string) => void
  /** Whether it is our response: `{"password":{"success":"Password updated successfully"}}` is kept */
  isOurs: boolean
  /** Where the text is cut */
  limit?: number
}

/**
 * Redacts JSON text: the contents of strings, and the values of fields with names like `password`. Works on the text,
 * so that truncated or deeply nested JSON is redacted too, and what lies after the limit costs nothing.
 */
export function redactJson(
  text: string,
  { cover, found, isOurs, limit = text.length }: JsonRedaction,
): string {
  const end = Math.min(limit, text.length)
  const safe: string[] = []
  let at = 0
  while (at < end) {
    const quoted = text.indexOf('"', at)
    const open = quoted < 0 || quoted > end ? end : quoted
    if (open > at) safe.push(coverBare(text.slice(at, open), cover))
    if (open === end) break
    const close = endOfString(text, open)
    const literal = text.slice(open, close)
    const value = valueOf(literal)
    const colon = skipSpace(text, close)
    const isName = text[colon] === ':'
    at = close
    const isSecret = isName && isSecretName(value)
    if (isSecret && isPlainName(value)) safe.push(literal)
    else {
      const covered = cover(value, close > end ? valueOf(text.slice(open, end)).length : value.length)
      safe.push(covered === value ? literal : JSON.stringify(covered))
    }
    if (!isSecret) continue
    const start = skipSpace(text, colon + 1)
    const item = text.slice(start, endOfValue(text, start))
    if (empty.has(item) || (isOurs && isMessage(item))) continue
    found?.(item)
    safe.push(text.slice(close, start), `"${redacted}"`)
    at = start + item.length
  }
  return safe.join('')
}

const empty = new Set(['null', '""', '[]', '{}'])

/** Numbers, and anything that isn't JSON. */
function coverBare(text: string, cover: JsonRedaction['cover']): string {
  if (text.length < 4) return text
  const covered = cover(text, text.length)
  return covered === text ? text : covered.replaceAll(redacted, `"${redacted}"`)
}

/** "Password updated successfully" */
function isMessage(item: string): boolean {
  if (item.length > 200) return false
  try {
    const value = JSON.parse(item) as unknown
    return (
      isObject(value) &&
      Object.keys(value).length === 1 &&
      /^[A-Z][a-z]+(?: [a-z]+)* successfully$/.test(String(value['success']))
    )
  } catch {
    return false
  }
}

/** The value of a JSON string literal, even a truncated one. */
function valueOf(literal: string): string {
  const isWhole = literal.length > 1 && literal.endsWith('"')
  const inside = literal.slice(1, isWhole ? -1 : undefined)
  if (!inside.includes('\\')) return inside
  try {
    return JSON.parse(`"${isWhole ? inside : inside.replace(/\\(?:u[0-9a-f]{0,3})?$/i, '')}"`) as string
  } catch {
    return inside
  }
}

/** Position after the closing quote. */
function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) at++
    else if (code === quote) return at + 1
  }
  return text.length
}

function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start)
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at) - 1
    else if (code === openArray || code === openObject) depth++
    else if (code === closeArray || code === closeObject) {
      if (--depth === 0) return at + 1
      if (depth < 0) return at
    } else if (code === comma && depth === 0) return at
  }
  return text.length
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 32) at++
  return at
}

const [quote, comma, backslash, openArray, closeArray, openObject, closeObject] = [
  34, 44, 92, 91, 93, 123, 125,
]

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

/** A string, even a truncated one, and the colon after a name; or the text between strings. */
const part = /("[^"\\]*(?:\\.?[^"\\]*)*"?)(?=([\0- ]*:[\0- ]*)?)|[^"]+/gs

/**
 * Redacts JSON text: the contents of strings, and the values of fields with names like `password`. Works on the text,
 * so that truncated or deeply nested JSON, and the first of two equal names, are redacted too, and what lies after the
 * limit costs nothing.
 */
export function redactJson(
  text: string,
  { cover, found, isOurs, limit = text.length }: JsonRedaction,
): string {
  const end = Math.min(limit, text.length)
  const safe: string[] = []
  for (let at = 0; at < end; ) {
    part.lastIndex = at
    const [piece, literal, colon] = part.exec(text) as RegExpExecArray
    const open = at
    at += piece.length
    if (literal === undefined) {
      safe.push(coverBare(text.slice(open, Math.min(at, end)), cover))
      continue
    }
    const value = valueOf(literal)
    const isSecret = colon !== undefined && isSecretName(value)
    if (isSecret && isPlainName(value)) safe.push(literal)
    else {
      const covered = cover(value, at > end ? valueOf(text.slice(open, end)).length : value.length)
      safe.push(covered === value ? literal : JSON.stringify(covered))
    }
    if (!isSecret) continue
    const start = at + colon.length
    const item = text.slice(start, endOfValue(text, start))
    if (empty.has(item) || (isOurs && item.length <= 200 && message.test(item))) continue
    found?.(item)
    safe.push(colon, `"${redacted}"`)
    at = start + item.length
  }
  return safe.join('')
}

const empty = new Set(['null', '""', '[]', '{}'])

/** "Password updated successfully" */
const message = /^\{\s*"success"\s*:\s*"[A-Z][a-z]+(?: [a-z]+)* successfully"\s*\}$/

/** Numbers, and anything that isn't JSON. */
function coverBare(text: string, cover: JsonRedaction['cover']): string {
  if (text.length < 4) return text
  const covered = cover(text, text.length)
  return covered === text ? text : covered.replaceAll(redacted, `"${redacted}"`)
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

function endOfValue(text: string, start: number): number {
  sign.lastIndex = start
  let depth = 0
  for (let match = sign.exec(text); match; match = sign.exec(text)) {
    const [found] = match
    const isClose = ']}'.includes(found)
    if ('[{'.includes(found)) depth++
    else if (isClose) depth--
    if (depth < 0 || (depth === 0 && found === ',')) return match.index
    if (depth === 0 && (isClose || match.index === start)) return sign.lastIndex
  }
  return text.length
}

/** What ends a value, and strings, which may contain the same signs. */
const sign = /"[^"\\]*(?:\\.?[^"\\]*)*"?|[[\]{},]/gs

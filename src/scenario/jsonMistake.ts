import { longestList } from '../world/counting.ts'

/** Nesting of lists and maps: scenarios have about ten levels, plus those of a fault's body. */
export const deepest = 100
/** Twice as many records as a scenario may have of a kind: more aren't even parsed. */
const mostMembers = 400_000

const [quote, comma, colon, backslash, space] = [34, 44, 58, 92, 32]
const [openList, closeList, openMap, closeMap] = [91, 93, 123, 125]

/**
 * Finds in a JSON text what JSON.parse would take, but a scenario may not have: of two equal keys it would keep the
 * last, and millions of tiny values would take much memory. Other mistakes are left to JSON.parse.
 */
export function jsonMistake(text: string): string | undefined {
  /** The lists and maps around a position */
  const open: { commas: number; keys?: Set<string> }[] = [{ commas: 0 }]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const inner = open.at(-1)
    if (code === openMap || code === openList) {
      if (open.push({ commas: 0 }) - 1 > deepest) return `it is nested more than ${deepest} deep`
    } else if (code === closeMap || code === closeList) open.pop()
    else if (code === comma && inner && !inner.keys) {
      if (++inner.commas >= longestList) return `it has a list of more than ${longestList} items`
    } else if (code === quote) {
      const end = endOfString(text, at)
      if (inner && isKey(text, end)) {
        const raw = text.slice(at, end)
        const key = raw.includes('\\') ? JSON.stringify(JSON.parse(raw)) : raw
        const { keys = new Set() } = inner
        inner.keys = keys
        if (key === '"__proto__"') return 'the key "__proto__" is not allowed'
        if (keys.has(key)) return `the key ${key} appears twice (at position ${at})`
        if (keys.add(key).size > mostMembers) return `it has a map of more than ${mostMembers} entries`
      }
      at = end - 1
    }
  }
  return undefined
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  for (let code; at < text.length && (code = text.charCodeAt(at)) !== quote; at++)
    if (code === backslash) at++
  return at + 1
}

/** Whether a colon follows. */
function isKey(text: string, after: number): boolean {
  let at = after
  while (text.charCodeAt(at) <= space) at++
  return text.charCodeAt(at) === colon
}

import { longestList } from '../world/numbers.ts'
import { maxDepth } from './bounds.ts'
import { type Position, TextError } from './positions.ts'

/** JSON that is longer isn't parsed as YAML if it is broken: that has better messages, but takes long. */
const longest = 1024 * 1024

/**
 * Parses a JSON text.
 * @returns undefined if it isn't JSON
 * @throws TextError if JSON.parse accepts it, but nobody means it
 */
export function parseJson(text: string): { value: unknown; locate: () => Position } | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (text.length < longest) return undefined
    const offset = Number(/at position (\d+)/.exec((error as Error).message)?.[1] ?? text.length)
    throw new TextError({ message: 'Not valid JSON', offset })
  }
  scanJson(text)
  return { value, locate: () => scanJson(text, true) }
}

/**
 * Walks through a text that JSON.parse accepts. Of two equal keys, that would keep the last, without a word.
 * @param keep whether to keep the positions of members, which only a text with issues needs
 * @throws TextError
 */
export function scanJson(text: string, keep = false): Position {
  let at = 0
  return valueAt(0)

  function valueAt(depth: number, key?: number): Position {
    skipSeparators()
    const start = at
    const sign = text[at]
    if (sign !== '{' && sign !== '[') {
      at = sign === '"' ? endOfString(text, at) : endOfWord(text, at)
      return { key: key ?? start, value: start }
    }
    if (depth >= maxDepth)
      throw new TextError({ message: `Nested more than ${maxDepth} levels deep`, offset: at })
    const members = new Map<string, Position | undefined>()
    at++
    for (skipSeparators(); text[at] !== '}' && text[at] !== ']'; skipSeparators()) {
      const from = at
      const name = sign === '{' ? keyAt(members) : String(members.size)
      if (sign === '[' && members.size >= longestList)
        throw new TextError({ message: `A list of more than ${longestList} items`, offset: at })
      members.set(name, undefined)
      const member = valueAt(depth + 1, sign === '{' ? from : undefined)
      if (keep) members.set(name, member)
    }
    at++
    return { key: key ?? start, value: key ?? start, members }
  }

  function keyAt(members: ReadonlyMap<string, unknown>): string {
    const start = at
    at = endOfString(text, at)
    const raw = text.slice(start, at)
    const name = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
    if (name === '__proto__')
      throw new TextError({ message: 'The key "__proto__" is not allowed', offset: start })
    if (members.has(name))
      throw new TextError({ message: `The key ${JSON.stringify(name)} appears twice`, offset: start })
    return name
  }

  /** In valid JSON, brackets tell as much as commas and colons do. */
  function skipSeparators(): void {
    while (isSeparator(text[at])) at++
  }
}

function isSeparator(sign: string | undefined): boolean {
  return sign === ' ' || sign === '\n' || sign === '\r' || sign === '\t' || sign === ',' || sign === ':'
}

function endOfString(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1)
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end + 1
  }
}

/** Of a number, true, false or null. */
function endOfWord(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && !isSeparator(text[end]) && text[end] !== '}' && text[end] !== ']') end++
  return end
}

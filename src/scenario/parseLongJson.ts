import { setImmediate as nextTurn } from 'node:timers/promises'
import { longestList } from '../world/counting.ts'

/** Twice as many records as a scenario may have of a kind: more aren't even parsed. */
const mostMembers = 400_000

/** Characters parsed in one go: some milliseconds of work at most. */
const usualPiece = 65_536

/**
 * Parses a long JSON text in chunks, yielding in between. For many tiny values the engine's own parser takes seconds
 * for a few megabytes, and blocks everything else.
 * @param deepest how many levels of lists and maps are allowed
 * @param piece characters to parse in one go
 * @throws JsonError
 */
export async function parseLongJson(text: string, deepest: number, piece = usualPiece): Promise<unknown> {
  const reader = new Reader(text, deepest, piece)
  const value = await reader.value(0)
  reader.skipSpace()
  if (!reader.isAtEnd) throw reader.unexpected()
  return value
}

export class JsonError extends Error {}

const [quote, backslash, comma, colon] = [34, 92, 44, 58]
const [openList, closeList, openMap, closeMap] = [91, 93, 123, 125]

class Reader {
  readonly #text: string
  readonly #deepest: number
  readonly #piece: number
  #at = 0
  /** Position at the last yield */
  #yieldedAt = 0

  constructor(text: string, deepest: number, piece: number) {
    this.#text = text
    this.#deepest = deepest
    this.#piece = piece
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** Reads the value that starts here. */
  async value(depth: number): Promise<unknown> {
    this.skipSpace()
    const end = this.#endOfValue(this.#at, depth)
    if (end !== undefined) {
      const value = this.#parse({ from: this.#at, to: end })
      this.#at = end
      return value
    }
    return this.#container(depth + 1)
  }

  skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++
  }

  unexpected(at = this.#at): JsonError {
    return at >= this.#text.length
      ? new JsonError('it is not valid JSON: it ends too early')
      : new JsonError(
          `it is not valid JSON: ${JSON.stringify(this.#text[at])} at position ${at} is not expected there`,
        )
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at)
  }

  /** A map or list that is too long to be parsed in one go. */
  async #container(depth: number): Promise<unknown> {
    const isMap = this.#code() === openMap
    const close = isMap ? closeMap : closeList
    const map: Record<string, unknown> = {}
    const list: unknown[] = []
    let count = 0
    const add = (key: string, value: unknown): void => {
      if (isMap) {
        if (Object.hasOwn(map, key)) throw new JsonError(`the key ${JSON.stringify(key)} appears twice`)
        map[key] = value
        if (++count > mostMembers) throw new JsonError(`it has a map of more than ${mostMembers} entries`)
      } else if (list.push(value) > longestList)
        throw new JsonError(`it has a list of more than ${longestList} items`)
    }
    let from: number | undefined
    let to = 0
    /** Parses the short members collected so far. */
    const addShort = (): void => {
      if (from === undefined) return
      const members = this.#parse({ from, to }, isMap ? '{' : '[', isMap ? '}' : ']') as object
      for (const [key, value] of Object.entries(members)) add(key, value)
      from = undefined
    }
    this.#at++
    this.skipSpace()
    let next = this.#code()
    while (next !== close) {
      const member = this.#at
      const endOfKey = isMap ? this.#skipKey() : member
      this.skipSpace()
      const end = this.#endOfValue(this.#at, depth)
      if (end === undefined) {
        addShort()
        const key = isMap ? (this.#parse({ from: member, to: endOfKey }) as string) : ''
        add(key, await this.value(depth))
      } else {
        from ??= member
        to = this.#at = end
      }
      this.skipSpace()
      next = this.#code()
      if (next !== comma && next !== close) throw this.unexpected()
      if (next === close || (from !== undefined && to - from >= this.#piece)) addShort()
      if (next === close) break
      this.#at++
      this.skipSpace()
      if (this.#code() === close) throw this.unexpected()
      await this.#yieldIfDue()
    }
    this.#at++
    return isMap ? map : list
  }

  /** Yields to other work now and then. */
  async #yieldIfDue(): Promise<void> {
    if (this.#at - this.#yieldedAt < this.#piece) return
    this.#yieldedAt = this.#at
    await nextTurn()
  }

  /** Skips a key and its colon. @returns where the key ends */
  #skipKey(): number {
    if (this.#code() !== quote) throw this.unexpected()
    const end = (this.#at = this.#endOfString(this.#at))
    this.skipSpace()
    if (this.#code() !== colon) throw this.unexpected()
    this.#at++
    return end
  }

  /** The position after a value; undefined if it is a list or map longer than a chunk. */
  #endOfValue(start: number, depth: number): number | undefined {
    const text = this.#text
    const first = text.charCodeAt(start)
    if (first === quote) return this.#endOfString(start)
    if (first !== openMap && first !== openList) {
      let at = start
      while (at < text.length && !isDelimiter(text.charCodeAt(at))) at++
      if (at === start) throw this.unexpected(start)
      return at
    }
    let open = 0
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === quote) at = this.#endOfString(at) - 1
      else if (code === openMap || code === openList) {
        if (depth + ++open > this.#deepest)
          throw new JsonError(`it is nested more than ${this.#deepest} deep`)
      } else if ((code === closeMap || code === closeList) && --open === 0) return at + 1
      if (at - start >= this.#piece) return undefined
    }
    throw this.unexpected(text.length)
  }

  #endOfString(start: number): number {
    const text = this.#text
    for (let at = start + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === backslash) at++
      else if (code === quote) return at + 1
    }
    throw this.unexpected(text.length)
  }

  #parse({ from, to }: { from: number; to: number }, before = '', after = ''): unknown {
    let value: unknown
    try {
      value = JSON.parse(`${before}${this.#text.slice(from, to)}${after}`)
    } catch (error) {
      throw new JsonError(`it is not valid JSON: ${(error as Error).message} (from position ${from} on)`)
    }
    this.#checkKeys(from, to)
    return value
  }

  /** In valid JSON. Of two equal keys, the engine's own parser keeps the last. */
  #checkKeys(from: number, to: number): void {
    const text = this.#text
    const open = [new Set<string>()]
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at)
      if (code === openMap || code === openList) open.push(new Set())
      else if (code === closeMap || code === closeList) open.pop()
      else if (code === quote) {
        const end = this.#endOfString(at)
        let next = end
        while (isSpace(text.charCodeAt(next))) next++
        if (text.charCodeAt(next) === colon) {
          const raw = text.slice(at + 1, end - 1)
          const key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
          const keys = open.at(-1)
          if (key === '__proto__') throw new JsonError('the key "__proto__" is not allowed')
          if (keys?.has(key))
            throw new JsonError(`the key ${JSON.stringify(key)} appears twice (at position ${at})`)
          keys?.add(key)
        }
        at = end - 1
      }
    }
  }
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

function isDelimiter(code: number): boolean {
  return isSpace(code) || code === comma || code === closeMap || code === closeList || code === colon
}

import { setImmediate as turn } from 'node:timers/promises'

/** The longest list that has a use: the addresses of a service, 65,536 of them. */
const longestList = 65_536

/** Characters that are parsed at once: some milliseconds of work, whatever stands in them. */
const usualPiece = 65_536

/**
 * Parses a long JSON text in pieces, with others' work in between. What is tiny and many takes the engine's own parser
 * seconds for some megabytes, in which nobody else would be served.
 * @param deepest levels of lists and maps that are taken
 * @param piece characters that are parsed at once
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
  /** What was read when others last had a turn */
  #rested = 0

  constructor(text: string, deepest: number, piece: number) {
    this.#text = text
    this.#deepest = deepest
    this.#piece = piece
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** The value that begins here. */
  async value(depth: number): Promise<unknown> {
    this.skipSpace()
    const end = this.#endOfValue(this.#at, depth)
    if (end !== undefined) {
      const value = this.#parse({ from: this.#at, to: end })
      this.#at = end
      return value
    }
    return this.#code() === openMap ? this.#map(depth + 1) : this.#list(depth + 1)
  }

  skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++
  }

  unexpected(at = this.#at): JsonError {
    return at >= this.#text.length
      ? new JsonError('it is no JSON: it breaks off at its end')
      : new JsonError(
          `it is no JSON: ${JSON.stringify(this.#text[at])} at position ${at} is not expected there`,
        )
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at)
  }

  /** A map too long to be parsed at once. */
  async #map(depth: number): Promise<Record<string, unknown>> {
    const map: Record<string, unknown> = {}
    const set = (key: string, value: unknown): void => {
      if (key === '__proto__') throw new JsonError('the key "__proto__" is not taken')
      map[key] = value
    }
    await this.#members(closeMap, depth, set, (text) => {
      for (const [key, value] of Object.entries(this.#parse(text, '{', '}') as object)) set(key, value)
    })
    return map
  }

  async #list(depth: number): Promise<unknown[]> {
    const list: unknown[] = []
    const push = (item: unknown): void => {
      if (list.push(item) > longestList)
        throw new JsonError(`it has a list of more than ${longestList} items`)
    }
    await this.#members(
      closeList,
      depth,
      (_key, item) => push(item),
      (text) => {
        for (const item of this.#parse(text, '[', ']') as unknown[]) push(item)
      },
    )
    return list
  }

  /**
   * Goes over what stands between two brackets.
   * @param setLong takes in a member that is too long to be parsed at once
   * @param addShort takes in the text of as many short ones as make a piece
   */
  async #members(
    close: number,
    depth: number,
    setLong: (key: string, value: unknown) => void,
    addShort: (text: { from: number; to: number }) => void,
  ): Promise<void> {
    let from: number | undefined
    let to = 0
    this.#at++
    this.skipSpace()
    if (this.#code() === close) this.#at++
    else
      for (;;) {
        const member = this.#at
        const endOfKey = close === closeMap ? this.#skipKey() : member
        this.skipSpace()
        const end = this.#endOfValue(this.#at, depth)
        if (end === undefined) {
          if (from !== undefined) addShort({ from, to })
          from = undefined
          const key = close === closeMap ? (this.#parse({ from: member, to: endOfKey }) as string) : ''
          setLong(key, await this.value(depth))
        } else {
          from ??= member
          to = this.#at = end
        }
        this.skipSpace()
        const next = this.#code()
        if (next !== comma && next !== close) throw this.unexpected()
        if (from !== undefined && (next === close || to - from >= this.#piece)) {
          addShort({ from, to })
          from = undefined
        }
        this.#at++
        if (next === close) return
        this.skipSpace()
        await this.#rest()
      }
  }

  /** Lets others have a turn, now and then. */
  async #rest(): Promise<void> {
    if (this.#at - this.#rested < this.#piece) return
    this.#rested = this.#at
    await turn()
  }

  /** Goes behind a key and its colon. @returns where the key ends */
  #skipKey(): number {
    if (this.#code() !== quote) throw this.unexpected()
    const end = (this.#at = this.#endOfString(this.#at))
    this.skipSpace()
    if (this.#code() !== colon) throw this.unexpected()
    this.#at++
    return end
  }

  /** Behind a value; undefined where it is a list or a map that is longer than a piece. */
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
    try {
      return JSON.parse(`${before}${this.#text.slice(from, to)}${after}`)
    } catch (error) {
      throw new JsonError(`it is no JSON: ${(error as Error).message} (from position ${from} on)`)
    }
  }
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

function isDelimiter(code: number): boolean {
  return isSpace(code) || code === comma || code === closeMap || code === closeList || code === colon
}

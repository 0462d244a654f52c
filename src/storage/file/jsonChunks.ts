import { isObject } from '../../world/mergePatch.ts'

/** Characters that make a piece: some hundred microseconds of work. */
export const longPiece = 65_536

/** What an object would hold, made when it is asked for. */
export class Members {
  readonly entries: () => Iterable<readonly [string, unknown]>

  constructor(entries: Members['entries']) {
    this.entries = entries
  }
}

/**
 * The JSON of a value in pieces, so that a large state can be written with others' work between the pieces.
 * What changes meanwhile may or may not be in it.
 * @param depth how many levels of objects are taken apart; what lies deeper is never in two pieces
 */
export function* jsonChunks(value: unknown, depth: number): Generator<string> {
  if (depth === 0 || !isObject(value)) {
    yield JSON.stringify(value)
    return
  }
  let text = '{'
  let first = true
  for (const [key, item] of value instanceof Members ? value.entries() : membersOf(value)) {
    if (item === undefined) continue // it was removed since
    text += `${first ? '' : ','}${JSON.stringify(key)}:`
    first = false
    if (depth === 1) text += JSON.stringify(item)
    else
      for (const piece of jsonChunks(item, depth - 1)) {
        text += piece
        if (text.length < longPiece) continue
        yield text
        text = ''
      }
    if (text.length < longPiece) continue
    yield text
    text = ''
  }
  yield `${text}}`
}

function* membersOf(value: Readonly<Record<string, unknown>>): Generator<[string, unknown]> {
  for (const key of Object.keys(value)) yield [key, value[key]]
}

import { isObject } from '../../world/mergePatch.ts'

/** Characters per chunk: some hundred microseconds of work. */
export const longPiece = 65_536

/** An object whose members are generated on demand. */
export class Members {
  readonly entries: () => Iterable<readonly [string, unknown]>

  constructor(entries: Members['entries']) {
    this.entries = entries
  }
}

/**
 * Serializes a value in chunks, so that other work can run while a large state is written. Changes made meanwhile may
 * or may not be included.
 * @param depth how many levels of objects to split; deeper values are never split
 */
export function* jsonChunks(value: unknown, depth: number): Generator<string> {
  if (depth === 0 || !isObject(value)) {
    yield JSON.stringify(value)
    return
  }
  let text = '{'
  let first = true
  for (const [key, item] of value instanceof Members ? value.entries() : membersOf(value)) {
    if (item === undefined) continue // removed since
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

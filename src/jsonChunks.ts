import { isObject } from './world/mergePatch.ts'
import { isShared } from './world/sharing.ts'

/** Characters per chunk: some hundred microseconds of work. */
export const longPiece = 65_536

/** Up to this many records are serialized in one go: most accounts have no more, and each record costs a step of its own. */
const fewRecords = 32

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
 * @param value may have generators instead of lists, whose items are then made on demand
 * @param depth how many levels of objects to split, the last of which may be a list; deeper values are never split
 * @param depthOf the same for a member, if it is not one less
 */
export function* jsonChunks(
  value: unknown,
  depth: number,
  depthOf?: (key: string) => number,
): Generator<string> {
  if (depth > 0 && isList(value)) {
    yield* listChunks(value)
    return
  }
  if (depth === 0 || !isObject(value)) {
    yield JSON.stringify(value)
    return
  }
  const known = texts.get(value)
  if (known !== undefined) {
    yield known
    return
  }
  const keys = value instanceof Members ? undefined : Object.keys(value)
  if (depth === 1 && keys && keys.length <= fewRecords) {
    yield textOf(value)
    return
  }
  let text = '{'
  let first = true
  for (const [key, item] of keys ? membersOf(value, keys) : (value as unknown as Members).entries()) {
    if (item === undefined) continue // removed since
    text += `${first ? '' : ','}${JSON.stringify(key)}:`
    first = false
    if (depth === 1) text += JSON.stringify(item)
    else
      for (const piece of jsonChunks(item, depthOf?.(key) ?? depth - 1)) {
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

/**
 * Serializes a state, or a merge patch of one, in chunks. Records are two levels deeper in the scenario document than in
 * the accounts, and either may have 100,000 of them.
 */
export function stateChunks(state: object): Generator<string> {
  return jsonChunks(state, 4, (key) => (key === 'scenario' ? 5 : 3))
}

/** Texts of parts that worlds share and nobody changes: of a thousand new accounts, each part is serialized once. */
const texts = new Map<object, string>()
const mostTexts = 32

function textOf(records: object): string {
  const text = JSON.stringify(records)
  if (isShared(records) && text.length < longPiece) {
    if (texts.size >= mostTexts) texts.clear()
    texts.set(records, text)
  }
  return text
}

function* membersOf(
  value: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Generator<[string, unknown]> {
  for (const key of keys) yield [key, value[key]]
}

function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

function* listChunks(items: Iterable<unknown>): Generator<string> {
  let text = '['
  let first = true
  for (const item of items) {
    text += `${first ? '' : ','}${JSON.stringify(item)}`
    first = false
    if (text.length < longPiece) continue
    yield text
    text = ''
  }
  yield `${text}]`
}

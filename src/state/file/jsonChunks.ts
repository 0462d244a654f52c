import { isObject } from '../../world/mergePatch.ts'

/** Records that become one chunk: some hundred microseconds of work. */
const batch = 100

/**
 * The JSON of a value in pieces, so that a large state can be written with others' work between the pieces.
 * What changes meanwhile may or may not be in it.
 * @param depth how many levels of objects are taken apart
 */
export function* jsonChunks(value: unknown, depth: number): Generator<string> {
  if (depth === 0 || !isObject(value)) {
    yield JSON.stringify(value)
    return
  }
  let text = '{'
  let first = true
  let records = 0
  for (const key of Object.keys(value)) {
    const item = value[key]
    if (item === undefined) continue // it was removed since
    text += `${first ? '' : ','}${JSON.stringify(key)}:`
    first = false
    for (const piece of jsonChunks(item, depth - 1)) {
      text += piece
      if (++records % batch === 0) {
        yield text
        text = ''
      }
    }
  }
  yield `${text}}`
}

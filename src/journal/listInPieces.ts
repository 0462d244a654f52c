/** Characters per chunk: some hundred microseconds of work. */
const chunkLength = 65_536

/**
 * Serializes an object with a long list in chunks, so that other work can run in between.
 * @param frame the value with an empty list: `{ total: 2, requests: [], dropped: 0 }`
 */
export function* listInPieces<T>(
  frame: object,
  items: readonly T[],
  show: (item: T) => unknown = (item) => item,
): Generator<string> {
  const text = JSON.stringify(frame)
  const inside = text.lastIndexOf('[]') + 1
  let piece = text.slice(0, inside)
  for (const [index, item] of items.entries()) {
    piece += `${index > 0 ? ',' : ''}${JSON.stringify(show(item))}`
    if (piece.length < chunkLength) continue
    yield piece
    piece = ''
  }
  yield piece + text.slice(inside)
}

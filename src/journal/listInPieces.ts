/** Characters that make a piece: some hundred microseconds of work. */
const enough = 65_536

/**
 * The JSON of a long list and of what stands around it, in pieces, so that it can be sent with others' work in between.
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
    if (piece.length < enough) continue
    yield piece
    piece = ''
  }
  yield piece + text.slice(inside)
}

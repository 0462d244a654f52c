import { setImmediate as nextTurn } from 'node:timers/promises'

/** Values in a piece: it is parsed in less than a millisecond. */
const pieceSize = 2000

/** Some members of the list or map at a path, as JSON; long ones among them are empty, and have their own pieces. */
type Piece = [path: readonly string[], members: Record<string, unknown>]

/** Cuts a value into pieces, for a thread that has no time to receive it at once. */
export function* toPieces(value: object, path: readonly string[] = []): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  const long: [key: string, value: object][] = []
  let members: Piece[1] = {}
  let size = 0
  for (const [key, member] of Object.entries(value)) {
    const own = sizeOf(member)
    if (own > pieceSize) long.push([key, member as object])
    members[key] = own <= pieceSize ? member : Array.isArray(member) ? [] : {}
    size += own <= pieceSize ? own : 1
    if (size < pieceSize) continue
    yield encoder.encode(JSON.stringify([path, members] satisfies Piece))
    members = {}
    size = 0
  }
  yield encoder.encode(JSON.stringify([path, members] satisfies Piece))
  for (const [key, member] of long) yield* toPieces(member, [...path, key])
}

/** How many values it holds, itself included, or some number above `pieceSize`. A long text is as much work as many. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Math.min(1 + value.length / 64, pieceSize)
  if (typeof value !== 'object' || value === null) return 1
  let size = 1
  for (const member of Object.values(value)) if ((size += sizeOf(member)) > pieceSize) break
  return size
}

/** Puts the pieces of a map together, yielding to others in between. */
export async function fromPieces<T extends object>(pieces: readonly Uint8Array[]): Promise<T> {
  const whole = {}
  for (const piece of pieces) {
    await nextTurn()
    const [path, members] = JSON.parse(new TextDecoder().decode(piece)) as Piece
    const target = path.reduce<object>((part, key) => (part as Record<string, object>)[key] as object, whole)
    Object.assign(target, members)
  }
  return whole as T
}

/** The greatest array index. Keys above it are iterated in insertion order, not numerically. */
const greatestIndex = 2 ** 32 - 2

/** Records with their ids, sorted by id. */
export function entriesById<T>(records: Readonly<Record<string, T>>): [id: number, record: T][] {
  const entries = Object.entries(records).map(([id, record]): [number, T] => [Number(id), record])
  return (entries.at(-1)?.[0] ?? 0) > greatestIndex ? entries.toSorted(([a], [b]) => a - b) : entries
}

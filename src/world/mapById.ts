/** The greatest array index. Keys above it are iterated in insertion order, not numerically. */
const greatestIndex = 2 ** 32 - 2

/** Maps records in the order of their ids. Of 100,000 services, lists of pairs would take longer than the rest. */
export function mapById<T, U>(records: Readonly<Record<string, T>>, map: (record: T, id: number) => U): U[] {
  const ids = Object.keys(records)
  if (Number(ids.at(-1) ?? 0) > greatestIndex) ids.sort((a, b) => Number(a) - Number(b))
  return ids.map((id) => map(records[id] as T, Number(id)))
}

/** Counts items by key, the most frequent key first. */
export function countBy<T>(items: readonly T[], key: (item: T) => string): [value: string, count: number][] {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)
}

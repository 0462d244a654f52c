/** Values with their counts, the most frequent first. */
export function countBy<T>(items: readonly T[], of: (item: T) => string): [value: string, count: number][] {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(of(item), (counts.get(of(item)) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)
}

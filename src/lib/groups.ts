/** Items with the same key. */
export type Group<T> = readonly [T, ...T[]]

/** Groups items by key, preserving their order. */
export function groupBy<T>(items: readonly T[], key: (item: T) => readonly unknown[]): Group<T>[] {
  const groups = new Map<string, [T, ...T[]]>()
  for (const item of items) {
    const name = JSON.stringify(key(item))
    const group = groups.get(name)
    if (group) group.push(item)
    else groups.set(name, [item])
  }
  return [...groups.values()]
}

/** The first item with each key. */
export function uniqueBy<T>(items: readonly T[], key: (item: T) => readonly unknown[]): T[] {
  return groupBy(items, key).map(([first]) => first)
}

/** The number of items with each key, the most frequent key first. */
export function countBy<T>(items: readonly T[], key: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return new Map([...counts].toSorted(([, a], [, b]) => b - a))
}

/** Removes an item for each other item with the same key, the first ones first. */
export function subtract<T>(items: readonly T[], others: readonly T[], key: (item: T) => string): T[] {
  const left = countBy(others, key)
  return items.filter((item) => {
    const count = left.get(key(item)) ?? 0
    left.set(key(item), count - 1)
    return count <= 0
  })
}

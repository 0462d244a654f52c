/** The record of that id. An id comes from outside: `__proto__` and `constructor` are nobody's. */
export function own<T>(records: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.hasOwn(records, id) ? records[id] : undefined
}

/** Looks up a record by id. Ids come from clients: inherited names (`__proto__`, `constructor`) must not match. */
export function own<T>(records: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.hasOwn(records, id) ? records[id] : undefined
}

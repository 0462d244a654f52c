import { Table } from '../../src/world/Table.ts'

/* A world is a value: a rule that changes a record of it in place fails in every test. */
const { with: original } = Table.prototype
Table.prototype.with = function <T>(this: Table<T>, changes: Iterable<readonly [number, T | undefined]>) {
  return original.call(
    this,
    [...changes].map(([id, record]) => [id, frozen(record)] as const),
  ) as Table<T>
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

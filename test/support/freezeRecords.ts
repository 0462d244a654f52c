import { Table } from '../../src/world/Table.ts'

/* A world is a value: a rule that changes a record of it in place fails in every test. */
type With = (this: Table<unknown>, changes: Iterable<readonly [number, unknown]>) => Table<unknown>
const original = Reflect.get(Table.prototype, 'with') as With
Reflect.set(Table.prototype, 'with', function (this: Table<unknown>, changes: Iterable<[number, unknown]>) {
  return original.call(
    this,
    [...changes].map(([id, record]) => [id, frozen(record)] as const),
  )
})

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

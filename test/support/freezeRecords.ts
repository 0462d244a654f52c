import { Table } from '../../src/world/Table.ts'

/* A world is a value: a rule that changes a record of it in place fails in every test. */
type With = (this: Table<unknown>, changes: Iterable<readonly [number, unknown]>) => Table<unknown>
const original = Reflect.get(Table.prototype, 'with') as With & { freezes?: true }

function freezing(this: Table<unknown>, changes: Iterable<readonly [number, unknown]>): Table<unknown> {
  return original.call(
    this,
    [...changes].map(([id, record]) => [id, frozen(record)] as const),
  )
}

// It runs before each file, and files of a worker share the class.
if (!original.freezes) Reflect.set(Table.prototype, 'with', Object.assign(freezing, { freezes: true }))

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

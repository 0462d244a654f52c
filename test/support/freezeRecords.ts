import { Table } from '../../src/world/Table.ts'

/* Freezes all records, so that a rule that mutates one fails in every test. */
type WithMethod = (this: Table<unknown>, changes: Iterable<readonly [number, unknown]>) => Table<unknown>
const original = Reflect.get(Table.prototype, 'with') as WithMethod & { freezes?: true }

function withFrozenRecords(
  this: Table<unknown>,
  changes: Iterable<readonly [number, unknown]>,
): Table<unknown> {
  return original.call(
    this,
    [...changes].map(([id, record]) => [id, deepFreeze(record)] as const),
  )
}

// This file runs before each test file, and the test files of a worker share the class.
if (!original.freezes)
  Reflect.set(Table.prototype, 'with', Object.assign(withFrozenRecords, { freezes: true }))

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) deepFreeze(part)
  return Object.freeze(value)
}

import { watchRecords } from '../../src/world/change.ts'

/* A world is a value: a rule that changes a record of it in place fails in every test. */
watchRecords((record) => frozen(record))

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

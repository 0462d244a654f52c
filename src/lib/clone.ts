import { deserialize, serialize } from 'node:v8'

/** Returns a deep copy. `structuredClone` is missing in some test environments. @throws if a value is a function */
export function clone<T>(value: T): T {
  return deserialize(serialize(value)) as T
}

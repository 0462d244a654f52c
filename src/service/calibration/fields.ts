import { subtract } from '../../world/numbers.ts'
import type { Kind, World } from '../../world/World.ts'
import { getFields, kinds } from '../records.ts'

/** Fields that hold addresses, in requests and responses */
export const addressFields: readonly string[] = ['ip', 'ips', 'bindedip', 'setip', 'errors', 'inactive']

/** Fields that a record needs to be valid */
export const requiredFields: readonly string[] = [
  ...kinds.flatMap((kind) => getFields(kind).flatMap(([name, { isRequired }]) => (isRequired ? [name] : []))),
  'status',
]

/** Fields that IP lists show in layouts that can't be compared */
export const ipListFields: ReadonlySet<string> = new Set(['ips', 'username', 'password'])

/** Whether the API lists all records of a kind. Hidden products aren't listed. */
export function isListedCompletely(list: string): boolean {
  return (list as Kind) !== 'products'
}

/** Adds the fields in nested records to the fields that an account holds. */
export function addNestedFields(held: ReadonlySet<string>): ReadonlySet<string> {
  return held.has('sessions') ? new Set([...held, 'ip']) : held
}

/** Corrects the initial credit when it is first read: adds the amount that our rules have spent since the start. */
export function correctStart(start: World, world: World, path: string, value: unknown): World {
  if (path !== 'credit') return start
  return { ...start, credit: subtract(Number(value), subtract(world.credit, start.credit)) }
}

import { subtract } from '../../world/numbers.ts'
import type { Kind, World } from '../../world/World.ts'
import { fieldsOf, kinds } from '../records.ts'

/** Fields that hold addresses, in requests and responses */
export const addressFields: readonly string[] = ['ip', 'ips', 'bindedip', 'setip', 'errors', 'inactive']

/** A record isn't valid without these. */
export const requiredFields: readonly string[] = [
  ...kinds.flatMap((kind) => fieldsOf(kind).flatMap(([name, { isRequired }]) => (isRequired ? [name] : []))),
  'status',
]

/** Parts of IP lists, whose layouts can't be compared */
export const inLists: ReadonlySet<string> = new Set(['ips', 'username', 'password'])

/** Whether a list of the API has all records of its kind: hidden products aren't listed. */
export function isWhole(list: string): boolean {
  return (list as Kind) !== 'products'
}

/** The fields that an account holds, with those in their records. */
export function withNested(held: ReadonlySet<string>): ReadonlySet<string> {
  return held.has('sessions') ? new Set([...held, 'ip']) : held
}

/** The start of a recording once the credit is read first: it was as much more as our rules have spent since. */
export function startWith(start: World, world: World, path: string, value: unknown): World {
  if (path !== 'credit') return start
  return { ...start, credit: subtract(Number(value), subtract(world.credit, start.credit)) }
}

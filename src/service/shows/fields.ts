import { subtract } from '../../world/numbers.ts'
import { type Kind, kinds, type World } from '../../world/World.ts'
import { getFields } from '../records.ts'

/** Fields that hold addresses, in requests and responses */
export const addressFields: readonly string[] = ['ip', 'ips', 'bindedip', 'setip', 'errors', 'inactive']

/** The fields without which a record is invalid */
export const requiredFields: readonly string[] = [
  ...kinds.flatMap((kind) => getFields(kind).flatMap(([name, { isRequired }]) => (isRequired ? [name] : []))),
  'status',
]

/** Fields that IP lists show. The layout of lists is undocumented, so these are compared as facts, not as text */
export const ipListFields: ReadonlySet<string> = new Set(['ips', 'username', 'password'])

/** Whether the list of a kind shows all its records. The list of products omits hidden ones. */
export function isListedCompletely(kind: string): boolean {
  return (kind as Kind) !== 'products'
}

/** Adds the fields in nested records to the fields that an account holds. */
export function addNestedFields(fields: ReadonlySet<string>): ReadonlySet<string> {
  return fields.has('sessions') ? new Set([...fields, 'ip']) : fields
}

/** Corrects the initial credit when it is first read: adds the amount that our rules have spent since the start. */
export function correctStart(start: World, world: World, path: string, value: unknown): World {
  if (path !== 'credit') return start
  return { ...start, credit: subtract(Number(value), subtract(world.credit, start.credit)) }
}

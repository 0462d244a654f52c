import { kinds, type World } from '../world/World.ts'
import { balanceOf } from './balance.ts'

/** A world with the records and the credit that it had earlier; credentials, clock and settings are the present ones. */
export function withEarlierRecords(world: World, earlier: World): World {
  const records = Object.fromEntries(kinds.map((kind) => [kind, earlier[kind]]))
  return { ...world, ...records, ...balanceOf(earlier) }
}

import { kinds, type World } from '../world/World.ts'
import { balanceOf } from './balance.ts'

/** A world with earlier records and credit, and its current credentials, clock and settings. */
export function withEarlierRecords(world: World, earlier: World): World {
  const records = Object.fromEntries(kinds.map((kind) => [kind, earlier[kind]]))
  return { ...world, ...records, ...balanceOf(earlier) }
}

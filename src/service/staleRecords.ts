import { kinds, type World } from '../world/World.ts'
import { getBalance } from './balance.ts'

/** Combines the records and credit of an earlier world with the current credentials, clock and settings. */
export function withStaleRecords(world: World, earlier: World): World {
  const records = Object.fromEntries(kinds.map((kind) => [kind, earlier[kind]]))
  return { ...world, ...records, ...getBalance(earlier) }
}

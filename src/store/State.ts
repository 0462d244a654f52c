import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import type { World } from '../world/World.ts'

/** Everything that is persisted. Worlds are values, so a snapshot is a map of references. */
export interface State {
  /** The current scenario, resolved; a reset loads it again */
  readonly scenario: { readonly name: string; readonly document: ScenarioDocument }
  /** By login, in the order in which the accounts were made */
  readonly accounts: ReadonlyMap<string, World>
}

/** A world that begins with a load. */
export function loaded(world: World, load: number): World {
  const { rewind: _rewind, undone: _undone, ...origin } = world.origin
  return { ...world, origin: { ...origin, load } }
}

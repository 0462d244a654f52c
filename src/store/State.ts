import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import type { World } from '../world/World.ts'

/** Everything that is persisted. Worlds are values, so a snapshot is a map of references. */
export interface State {
  /** The current scenario, fully merged. A reset loads it again */
  readonly scenario: { readonly name: string; readonly document: ScenarioDocument }
  /** By login, in order of creation */
  readonly accounts: ReadonlyMap<string, World>
}

/** Gives a world a new load id, which only its successors share. */
export function withNewLoad(world: World, load = randomInt(2 ** 47)): World {
  const { rewind: _rewind, undone: _undone, ...origin } = world.origin
  return { ...world, version: 0, origin: { ...origin, load } }
}

export function stateWithNewLoad({ scenario, accounts }: State): State {
  const load = randomInt(2 ** 47)
  return {
    scenario,
    accounts: new Map([...accounts].map(([login, world]) => [login, withNewLoad(world, load)])),
  }
}

/** Whether a state is unchanged since its scenario was loaded, so that loading the scenario again loses nothing. */
export function isUnchangedSinceLoad({ scenario, accounts }: State, document: ScenarioDocument): boolean {
  return (
    accounts.size === Object.keys(document.accounts).length &&
    [...accounts.values()].every(({ version }) => version === 0) &&
    isDeepStrictEqual(scenario.document, document)
  )
}

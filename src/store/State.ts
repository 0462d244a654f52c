import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import type { World } from '../world/World.ts'

/** Everything that is persisted. Worlds are values, so a snapshot is a map of references. */
export interface State {
  /** The current scenario, resolved; a reset loads it again */
  readonly scenario: { readonly name: string; readonly document: ScenarioDocument }
  /** By login, in order of creation */
  readonly accounts: ReadonlyMap<string, World>
}

/** A world with a new load id: only its successors have the same one. */
export function ofNewLoad(world: World, load = randomInt(2 ** 47)): World {
  const { rewind: _rewind, undone: _undone, ...origin } = world.origin
  return { ...world, origin: { ...origin, load } }
}

export function stateOfNewLoad({ scenario, accounts }: State): State {
  const load = randomInt(2 ** 47)
  return {
    scenario,
    accounts: new Map([...accounts].map(([login, world]) => [login, ofNewLoad(world, load)])),
  }
}

/** Whether a state equals the result of its scenario, so that loading the scenario again loses nothing. */
export function isAsLoaded({ scenario, accounts }: State, document: ScenarioDocument): boolean {
  return (
    accounts.size === Object.keys(document.accounts).length &&
    [...accounts.values()].every(({ version }) => version === 0) &&
    isDeepStrictEqual(scenario.document, document)
  )
}

import { copyWorld } from '../world/sharing.ts'
import type { World } from '../world/World.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'

/** Everything that lasts: what the file holds, what a snapshot keeps. */
export interface State {
  /** The present scenario, resolved; a reset loads it again. */
  scenario: { name: string; document: ScenarioDocument }
  /** By login */
  accounts: Record<string, World>
}

/** A copy of the state as it is now, which shares the records that no change touches. */
export function copyState({ scenario, accounts }: State): State {
  const copies: Record<string, World> = {}
  for (const [login, world] of Object.entries(accounts)) copies[login] = copyWorld(world)
  return { scenario, accounts: copies }
}

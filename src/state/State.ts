import { copyWorld } from '../world/sharing.ts'
import type { World } from '../world/World.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'

/** Everything that is persisted, in the state file and in snapshots. */
export interface State {
  /** The current scenario, resolved; a reset loads it again */
  scenario: { name: string; document: ScenarioDocument }
  /** By login */
  accounts: Record<string, World>
}

export function copyState({ scenario, accounts }: State): State {
  const copies: Record<string, World> = {}
  for (const [login, world] of Object.entries(accounts)) copies[login] = copyWorld(world)
  return { scenario, accounts: copies }
}

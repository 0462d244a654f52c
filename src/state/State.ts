import type { World } from '../world/World.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'

/** Everything that lasts: what the file holds, what a snapshot keeps. */
export interface State {
  /** The present scenario, resolved; a reset loads it again. */
  scenario: { name: string; document: ScenarioDocument }
  /** By login */
  accounts: Record<string, World>
}

import type { World } from '../world/World.ts'
import type { Instant } from '../world/time.ts'
import { readClock } from '../state/clock.ts'
import type { State } from '../state/State.ts'
import type { ScenarioAccount, ScenarioDocument } from './ScenarioDocument.ts'

/** The present state as a scenario that, loaded again, gives the same answers: clock, throttle and counters included. */
export function exportScenario({ scenario, accounts }: State, real: Instant): ScenarioDocument {
  return {
    description: scenario.document.description,
    accounts: Object.fromEntries(
      Object.entries(accounts).map(([login, world]) => [login, exportAccount(world, real)]),
    ),
  }
}

/** A world as the account of a scenario. */
export function exportAccount(world: World, real: Instant): ScenarioAccount {
  return { ...world, clock: readClock(world.clock, real) }
}

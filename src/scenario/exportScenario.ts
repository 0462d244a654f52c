import { type Instant, readClock, getAccountTime } from '../world/time.ts'
import { getFaults } from '../world/faults.ts'
import { sortedEntries } from '../world/shownChange.ts'
import { withFieldsInOrder, getBalance } from '../service/index.ts'
import { kinds, type World } from '../world/World.ts'
import type { ScenarioAccount, ScenarioDocument } from './ScenarioDocument.ts'

/** Exports the state as a scenario that behaves the same when loaded, including clock, throttle and counters. */
export function exportScenario(
  { scenario, accounts }: { scenario: { document: ScenarioDocument }; accounts: ReadonlyMap<string, World> },
  real: Instant,
): ScenarioDocument {
  return {
    description: scenario.document.description,
    accounts: Object.fromEntries([...accounts].map(([login, world]) => [login, exportAccount(world, real)])),
  }
}

/**
 * Exports a world as a scenario account. Equal worlds export to identical bytes, because the order of fields doesn't depend on
 * the order of the changes.
 */
export function exportAccount(world: World, real: Instant): ScenarioAccount {
  const { seed, password, tokens, limits, assumptions, confirmed, next } = world
  const now = getAccountTime(world.clock, real)
  const records = kinds.map((kind) => [
    kind,
    Object.fromEntries(
      [...world[kind].entries()].map(([id, record]) => [id, withFieldsInOrder(kind, record, now)]),
    ),
  ])
  return {
    seed,
    password,
    tokens: [...tokens],
    ...(world.origin.created && { created: true }),
    ...getBalance(world),
    ...Object.fromEntries(records),
    limits,
    assumptions,
    confirmed: [...confirmed],
    faults: getFaults(world),
    clock: readClock(world.clock, real),
    timeline: sortedEntries(world),
    history: [...world.history.values()],
    next,
  }
}

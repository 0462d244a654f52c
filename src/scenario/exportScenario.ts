import { type Instant, readClock, timeOf } from '../world/time.ts'
import type { State } from '../store/State.ts'
import { inOrder } from '../world/fields.ts'
import type { Table } from '../world/Table.ts'
import { kinds, type Kind, type Records, type TimelineEntry, type World } from '../world/World.ts'
import type { ScenarioAccount, ScenarioDocument } from './ScenarioDocument.ts'

/** Exports the state as a scenario that behaves the same when loaded, including clock, throttle and counters. */
export function exportScenario({ scenario, accounts }: State, real: Instant): ScenarioDocument {
  return {
    description: scenario.document.description,
    accounts: Object.fromEntries([...accounts].map(([login, world]) => [login, exportAccount(world, real)])),
  }
}

/**
 * A world as a scenario account. Equal worlds export to identical bytes: the order of fields doesn't depend on how they
 * were set.
 */
export function exportAccount(world: World, real: Instant): ScenarioAccount {
  return {
    seed: world.seed,
    password: world.password,
    tokens: [...world.tokens],
    credit: world.credit,
    ...Object.fromEntries(kinds.map((kind) => [kind, recordsOf(kind, world, timeOf(world.clock, real))])),
    limits: world.limits,
    assumptions: world.assumptions,
    faults: [...world.faults],
    clock: readClock(world.clock, real),
    timeline: inTurn(world).map(([id, entry]) => ({ id, ...entry })),
    history: [...world.history.values()],
    next: world.next,
  }
}

function recordsOf<K extends Kind>(kind: K, world: World, now: Instant): Record<string, Records[K]> {
  const records: Record<string, Records[K]> = {}
  for (const [id, record] of (world[kind] as Table<unknown> as Table<Records[K]>).entries())
    records[id] = inOrder(kind, record, now)
  return records
}

/** What is due, soonest first. */
export function inTurn({ timeline }: World): [number, TimelineEntry][] {
  return [...timeline.entries()].toSorted(([, a], [, b]) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

import type { NamedWorld } from '../world/NamedWorld.ts'

/** Where a clock stands: frozen at an instant (ISO 8601), or running from one. */
export type ScenarioClock = string | { now: string; frozen: boolean }

/** An account as a scenario names it; a whole world is one too. */
export interface ScenarioAccount extends NamedWorld {
  clock?: ScenarioClock
  /** How many more records to generate */
  generate?: { clients?: number; products?: number; services?: number; invoices?: number }
}

/** Readings of what the documentation leaves open, by the ids of the assumptions */
export type Readings = NonNullable<ScenarioAccount['assumptions']>

/** A scenario with everything it extends and includes merged in. */
export interface ScenarioDocument {
  description: string
  seed?: number
  clock?: ScenarioClock
  accounts: Record<string, ScenarioAccount>
}

import type { NamedWorld } from '../world/NamedWorld.ts'

/** Where a clock stands: frozen at an instant (ISO 8601 with its zone), or running from one. */
export type ScenarioClock = string | { now: string; frozen: boolean }

/**
 * An account as a scenario names it: what is left out has a default, or is generated from the seed. A whole world is one
 * too.
 * @example
 * { password: 'secret', credit: 10, clients: { 11: { email: 'ana@example.com' } } }
 */
export interface ScenarioAccount extends NamedWorld {
  /** The scenario's unless named */
  clock?: ScenarioClock
  /** How many more records to generate */
  generate?: { clients?: number; products?: number; services?: number; invoices?: number }
}

/** Readings of what the documentation leaves open, by the ids of the assumptions */
export type Readings = NonNullable<ScenarioAccount['assumptions']>

/** A scenario with everything it extends and includes merged in. */
export interface ScenarioDocument {
  /** What it shows, in one line */
  description: string
  /**
   * Seed of everything that is generated: the same seed gives the same worlds.
   * @default 1
   */
  seed?: number
  /** Real time unless named */
  clock?: ScenarioClock
  /** By login */
  accounts: Record<string, ScenarioAccount>
}

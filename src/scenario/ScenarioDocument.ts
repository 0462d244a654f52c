import type { Assumptions } from '../service/values.ts'
import type { Kind, Limits, WorldInput } from '../world/World.ts'

/** The setting of a clock: frozen at an instant (ISO 8601 with a time zone), or running from one; by default from now. */
export type ScenarioClock = string | { now?: string; frozen?: boolean; rate?: number }

/**
 * An account in a scenario: what is left out has a default, or is generated from the seed. A complete world is one too.
 * @example
 * { password: 'secret', credit: 10, clients: { 11: { email: 'ana@example.com' } } }
 */
export interface ScenarioAccount extends WorldInput {
  /** Defaults to the scenario's clock */
  clock?: ScenarioClock
  /** The interval is stored in `limits`, but can be given here too. */
  assumptions?: Partial<Assumptions> & Partial<Pick<Limits, 'updateListInterval'>>
  /** How many more records to generate */
  generate?: { [K in Kind]?: number }
}

/** How to read what the documentation leaves open, by assumption id */
export type Interpretations = NonNullable<ScenarioAccount['assumptions']>

/** A scenario with everything it extends and includes merged in. */
export interface ScenarioDocument {
  /** What it shows, in one line */
  description: string
  /**
   * Seed of everything that is generated: the same seed gives the same worlds.
   * @default 1
   */
  seed?: number
  /** Defaults to real time */
  clock?: ScenarioClock
  /** By login */
  accounts: Record<string, ScenarioAccount>
}

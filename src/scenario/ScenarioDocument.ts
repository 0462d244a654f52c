import type { Assumptions } from '../service/values.ts'
import type { Kind, Limits, WorldInput } from '../world/World.ts'

/** A clock setting: an instant to freeze the clock at (ISO 8601 with a time zone), or the clock's time, state and rate. */
export type ScenarioClock = string | { now?: string; frozen?: boolean; rate?: number }

/**
 * An account in a scenario. Missing fields have defaults, or are generated from the seed. A complete `AccountState` is also valid.
 * @example
 * { password: 'secret', credit: 10, clients: { 11: { email: 'ana@example.com' } } }
 */
export interface ScenarioAccount extends WorldInput {
  /** Defaults to the scenario's clock */
  clock?: ScenarioClock
  /** `updateListInterval` is stored in `limits`, but also accepted here. */
  assumptions?: Partial<Assumptions> & Partial<Pick<Limits, 'updateListInterval'>>
  /** Number of additional records to generate */
  generate?: { [K in Kind]?: number }
}

/** Interpretations of gaps in the documentation, by assumption id */
export type Interpretations = NonNullable<ScenarioAccount['assumptions']>

/** A scenario with everything it extends and includes merged in. */
export interface ScenarioDocument {
  /** Its purpose, in one line */
  description: string
  /**
   * Seed of all generated values. Equal seeds generate equal worlds.
   * @default 1
   */
  seed?: number
  /** Defaults to real time */
  clock?: ScenarioClock
  /** By login */
  accounts: Record<string, ScenarioAccount>
}

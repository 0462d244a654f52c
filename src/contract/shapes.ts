/**
 * Responses of the control plane, defined in `admin.openapi.yaml`, under the names that the library, the command line
 * and the dashboard use.
 */
import type { Fault, TimelineEvent, TimelineEntry, WorldData } from '../world/World.ts'
import type { components, operations } from './admin.gen.ts'

type Schemas = components['schemas']
type BodyOf<Op extends keyof operations, Status extends number = 200> =
  operations[Op]['responses'] extends Record<Status, { content: { 'application/json': infer Body } }>
    ? Body
    : never

import type { ClockReading } from '../world/time.ts'

export type { ClockReading }

/** An account with the number of its records */
export type AccountSummary = Schemas['AccountSummary']

/** Login, password, token and `Authorization` header of an account that was just created */
export type NewAccount = BodyOf<'createAccount', 201>

/** Matching entries of the journal, newest first, and their number */
export type RequestMatches = BodyOf<'waitForRequests'>

/** Matching entries of the journal, newest first, and how many the journal has dropped */
export type RequestPage = BodyOf<'listRequests'>

/** Which responses of the contract were returned since the last reset */
export type CoverageReport = Schemas['Coverage']

/** A response of the contract, and how often it was returned */
export type CoveredResponse = Schemas['CoveredResponse']

/** A request and its response, without credentials */
export type JournalEntry = Schemas['Entry']

/** A gap in the API's documentation, and its possible values */
export type Assumption = Schemas['Assumption']

/** A fault with its counters */
export type ActiveFault = Schemas['ActiveFault']

/** A snapshot of all accounts, or of one */
export type Snapshot = Schemas['Snapshot']

/** A scenario that can be loaded by name */
export type ScenarioInfo = BodyOf<'listScenarios'>[number]

/** The scenario that was loaded, and its logins */
export type LoadResult = BodyOf<'loadScenario'>

/** The simulator's state, its version and the scenario that a reset loads */
export type Health = BodyOf<'getHealth'>

/** An account's complete state: a `ScenarioAccount` with all defaults filled in. */
export type AccountState = Omit<
  WorldData,
  'clock' | 'version' | 'origin' | 'tokens' | 'confirmed' | 'faults' | 'timeline' | 'history'
> & {
  tokens: string[]
  confirmed: string[]
  faults: Fault[]
  clock: ClockReading
  /** Timeline entries, soonest first */
  timeline: ({ id: number } & TimelineEntry)[]
  /** Changes by the timeline: the last 100, oldest first */
  history: TimelineEvent[]
}

/** Scheduled and skipped changes */
export type Timeline = BodyOf<'getTimeline'>

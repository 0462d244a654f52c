/**
 * What the control plane answers, by the names that the library, the command line and the dashboard use.
 * `admin.openapi.yaml` is where each is written down.
 */
import type { World } from '../world/World.ts'
import type { components, operations } from './admin.gen.ts'

type Schemas = components['schemas']
type BodyOf<Op extends keyof operations, Status extends number = 200> =
  operations[Op]['responses'] extends Record<Status, { content: { 'application/json': infer Body } }>
    ? Body
    : never

/** What the clock of a world shows */
export type ClockReading = Schemas['Clock']

/** An account with how many records it has */
export type AccountSummary = Schemas['AccountSummary']

/** Login, password, token and `Authorization` header of an account that was just created */
export type NewAccount = BodyOf<'createAccount', 201>

/** What was asked and answered. No credential is in it. */
export type JournalEntry = Schemas['Entry']

/** Entries of the journal, the newest first, and how many fit, whatever the limit says */
export type RequestList = BodyOf<'waitForRequests'>

/** The same, and how many entries fell out of the journal, as it is bounded */
export type JournalPage = BodyOf<'listRequests'>

/** Which answers of the contract were given since the last reset */
export type CoverageReport = Schemas['Coverage']

/** An answer of the contract, and how often it was given */
export type CoveredResponse = CoverageReport['operations'][number]['responses'][number]

/** Something that a client does and that will hurt against the real service */
export type Finding = Schemas['Finding']

export type FindingName = Finding['finding']

/** What the API's documentation leaves open, and how it can be read */
export type Assumption = Schemas['Assumption']

/** A fault with its counters */
export type ArmedFault = Schemas['ArmedFault']

/** A state that is kept */
export type Snapshot = Schemas['Snapshot']

/** A scenario that can be loaded by its name */
export type ScenarioInfo = BodyOf<'listScenarios'>[number]

/** The scenario that was loaded, and its logins */
export type Loaded = BodyOf<'loadScenario'>

/** That the simulator is ready, its version and the scenario that a reset loads */
export type Health = BodyOf<'getHealth'>

/**
 * An account's world: whole, where a `ScenarioAccount` may leave out what has a default. What is read here can be
 * loaded there.
 */
export type WorldView = Omit<World, 'clock' | 'version' | 'origin'> & { clock: ClockReading }

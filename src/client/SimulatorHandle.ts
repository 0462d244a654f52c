import type { Assumption } from '../contract/Contract.ts'
import type { CaseName, OperationId } from '../contract/cases.gen.ts'
import type { CoverageReport } from '../journal/Coverage.ts'
import type { Finding } from '../journal/findings.ts'
import type { JournalEntry } from '../journal/JournalEntry.ts'
import type { ClockReading } from '../state/clock.ts'
import type { ScenarioAccount, ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import type { Fault } from '../world/World.ts'
import type { FaultOptions } from './FaultOptions.ts'

/** A JSON Merge Patch (RFC 7386) of T: what is named is set, null removes. */
export type Patch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Key in keyof T]?: Patch<T[Key]> | null }
    : T

/** A scenario as a file has it: with `extends` or `fixtures`, only what differs is named. */
export interface ScenarioInput extends Omit<ScenarioDocument, 'accounts'> {
  /** Another scenario's name */
  extends?: string
  /** Files of fixtures/ that are merged first */
  fixtures?: string[]
  accounts?: Record<string, Patch<ScenarioAccount> | null>
}

/** Which account; it may be left out where there is only one. */
export interface AccountScope {
  account?: string
}

/** Which requests of the journal */
export interface RequestFilter extends AccountScope {
  operation?: OperationId
  /** A status, or a class of them */
  status?: number | `${1 | 2 | 3 | 4 | 5}xx`
  case?: CaseName
}

export interface RequestList {
  /** How many fit, whatever the limit says */
  total: number
  /** The newest first */
  requests: JournalEntry[]
}

export type ArmedFault = Fault & {
  /** It has struck as often as it was told to. */
  spent: boolean
}

export interface AccountSummary {
  login: string
  /** USD */
  credit: number
  clients: number
  products: number
  services: number
  invoices: number
  /** Living sticky sessions */
  sessions: number
  faults: number
  clock: ClockReading
}

/** What a scenario's load tells. */
export interface Loaded {
  scenario: string
  /** The logins */
  accounts: string[]
}

/** The clock of a world. It never goes back. */
export interface ClockControls<Scope extends unknown[]> {
  read: (...scope: Scope) => Promise<ClockReading>
  now: (...scope: Scope) => Promise<Date>
  /** Sets the time (ISO 8601 with its zone, or a Date); the clock goes on from there, or stands there, as before. */
  set: (now: string | Date, ...scope: Scope) => Promise<ClockReading>
  /** Stops the clock. */
  freeze: (...scope: Scope) => Promise<ClockReading>
  /** Lets it run again. */
  resume: (...scope: Scope) => Promise<ClockReading>
  /** By an ISO 8601 duration (`PT1H`); what falls due has happened when the promise resolves. */
  advance: (by: string, ...scope: Scope) => Promise<ClockReading>
}

/** What can be done with one account's world. */
export interface WorldControls<Scope extends unknown[] = []> {
  clock: ClockControls<Scope>
  /** The world, in the form that accounts have in scenarios */
  world: (...scope: Scope) => Promise<ScenarioAccount>
  /** Applies a JSON Merge Patch to the world, whole or not at all. */
  patch: (change: Patch<ScenarioAccount>, ...scope: Scope) => Promise<ScenarioAccount>
  /** Adds a fault; it takes effect with the next request. */
  fault: <Op extends OperationId | '*'>(fault: FaultOptions<Op>, ...scope: Scope) => Promise<ArmedFault>
  faults: (...scope: Scope) => Promise<ArmedFault[]>
  clearFaults: (...scope: Scope) => Promise<void>
  /** What the documentation leaves open, with the reading that holds in the world (`current`) */
  assumptions: (...scope: Scope) => Promise<(Assumption & { current?: string | number })[]>
  /** The journal, the newest first */
  requests: (filter?: RequestFilter & { limit?: number }) => Promise<RequestList & { dropped: number }>
  /**
   * Resolves as soon as `count` (1) such requests are in the journal, those that are there already included.
   * @throws SimulatorError (408) after `timeout` (5000) milliseconds
   */
  waitForRequests: (filter?: RequestFilter & { count?: number; timeout?: number }) => Promise<RequestList>
  /** What the client does that will hurt against the real service */
  findings: (...scope: Scope) => Promise<Finding[]>
}

/** An account of its own for a test: nothing is shared with others, so tests can run side by side. */
export interface Account extends WorldControls, AsyncDisposable {
  login: string
  password: string
  /** Accepted in the password's place */
  token: string
  /** The Authorization header: `Basic …` */
  authorization: string
  /** Away with it; `await using` does that at the end of the scope. */
  delete: () => Promise<void>
}

/** A simulator that runs, here or elsewhere. What it refuses is thrown as a SimulatorError. */
export interface SimulatorHandle extends WorldControls<[scope?: AccountScope]> {
  /** `http://127.0.0.1:4010`, without a slash at the end */
  url: string
  /**
   * The Authorization header of a login (`Basic …`); of the only account where none is named.
   * @throws UserError where there is no such account
   */
  authorization: (login?: string) => string
  health: () => Promise<{ status: 'ok'; version: string; scenario: string }>

  scenarios: () => Promise<{ name: string; description: string }[]>
  /** Resets everything to a scenario: one of the simulator's by its name, or the document given. */
  load: (scenario: string | ScenarioInput) => Promise<Loaded>
  /** Loads the present scenario again; journal, coverage and faults begin anew. */
  reset: () => Promise<Loaded>
  /** The present state of all accounts as a scenario that, loaded again, gives the same answers */
  scenario: () => Promise<ScenarioDocument>
  /** Keeps the present state. @returns the id to go back to it */
  snapshot: () => Promise<string>
  restore: (id: string) => Promise<void>

  accounts: () => Promise<AccountSummary[]>
  /** A new isolated account, as the first of a scenario (the present one where none is named) is */
  createAccount: (options?: { scenario?: string; login?: string }) => Promise<Account>
  deleteAccount: (login: string) => Promise<void>
  /** The controls of one account's world, so that it need not be named each time */
  account: (login: string) => WorldControls
  /** Generates an API token; it is accepted in the password's place. */
  token: (login?: string) => Promise<string>

  clearRequests: () => Promise<void>
  /** The journal as HAR 1.2 */
  har: (filter?: RequestFilter & { limit?: number }) => Promise<{ log: object }>
  /** Which answers of the contract were given since the last reset */
  coverage: {
    (): Promise<CoverageReport>
    (format: 'markdown' | 'junit'): Promise<string>
  }
}

/** A simulator in this process. */
export interface StartedSimulator extends SimulatorHandle, AsyncDisposable {
  /** Finishes the requests under way, writes what is to be written, and frees port and file. */
  close: () => Promise<void>
}

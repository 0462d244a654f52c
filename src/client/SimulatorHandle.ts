import type { Har } from 'har-format'
import type {
  AccountSummary,
  ArmedFault,
  Assumption,
  ClockReading,
  CoverageReport,
  Finding,
  Health,
  JournalPage,
  Loaded,
  NewAccount,
  RequestList,
  ScenarioInfo,
  WorldView,
} from '../admin/shapes.ts'
import type { CaseName, OperationId } from '../contract/cases.gen.ts'
import type { ScenarioAccount, ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import type { PatchOf } from '../world/WorldChange.ts'
import type { FaultOptions } from './FaultOptions.ts'
import type { NamedScenario } from './ScenarioRef.ts'

/**
 * A scenario as a file has it, but for the description, which may be left out: with `extends` or `fixtures`, only what
 * differs is named.
 * @example
 * { extends: 'default', accounts: { reseller: { credit: 0 } } }
 */
export interface ScenarioInput extends Partial<Omit<ScenarioDocument, 'accounts'>> {
  /** Another scenario's name */
  extends?: string
  /** Files of fixtures/ that are merged first */
  fixtures?: string[]
  /** By login; null removes what the other scenario has. */
  accounts?: Record<string, PatchOf<ScenarioAccount> | null>
}

/** Which account; it may be left out if there is only one. */
export interface AccountScope {
  /** The login */
  account?: string
}

/** Which requests of the journal; those that have all of it. */
export interface RequestFilter extends AccountScope {
  operation?: OperationId
  /** A status, or a class of them */
  status?: number | `${1 | 2 | 3 | 4 | 5}xx`
  case?: CaseName
}

/** The clock of a world. It never goes back. */
export interface ClockControls<Scope extends unknown[]> {
  /** The time, and whether the clock stands still. */
  read: (...scope: Scope) => Promise<ClockReading>
  /** The time. */
  now: (...scope: Scope) => Promise<Date>
  /**
   * Sets the time; the clock goes on from there, or stands there, as before.
   * @param now ISO 8601 with its zone, or a Date
   * @throws SimulatorError (400) if the clock is past it
   * @example
   * await sim.clock.set('2026-02-01T00:00:00Z')
   */
  set: (now: string | Date, ...scope: Scope) => Promise<ClockReading>
  /** Stops the clock. */
  freeze: (...scope: Scope) => Promise<ClockReading>
  /** Lets it run again. */
  resume: (...scope: Scope) => Promise<ClockReading>
  /**
   * Moves the clock on; what falls due has happened when the promise resolves.
   * @param by an ISO 8601 duration
   * @throws SimulatorError (400) if it is none
   * @example
   * await sim.clock.advance('PT1H')
   */
  advance: (by: string, ...scope: Scope) => Promise<ClockReading>
}

/** What can be done with one account's world. */
export interface WorldControls<Scope extends unknown[] = []> {
  clock: ClockControls<Scope>
  /** The world, in the form that accounts have in scenarios. Money is in USD. */
  world: (...scope: Scope) => Promise<WorldView>
  /**
   * Applies a JSON Merge Patch (RFC 7386) to the world, whole or not at all: what is named is set, null removes.
   * @returns the world after it
   * @throws SimulatorError (400) with each mistake in `details`; nothing has changed
   * @example
   * await sim.patch({ credit: 0, services: { 5001: { status: 'Suspended' } } })
   */
  patch: (change: PatchOf<ScenarioAccount>, ...scope: Scope) => Promise<WorldView>
  /**
   * Brings the account back to its scenario: its world, faults and clock. If no account is named and there are
   * several, all of them, as `load` does.
   */
  reset: (...scope: Scope) => Promise<Loaded>
  /**
   * Adds a fault; it takes effect with the next request.
   * @throws SimulatorError (400) if it is wrong
   * @example
   * // The order is paid, and its answer is lost.
   * await sim.fault({ operation: 'orderService', phase: 'after', drop: 'reset', times: 1 })
   */
  fault: <Op extends OperationId | '*'>(fault: FaultOptions<Op>, ...scope: Scope) => Promise<ArmedFault>
  /** The faults, spent ones included, in the order in which they are tried. */
  faults: (...scope: Scope) => Promise<ArmedFault[]>
  /** Removes all faults. */
  clearFaults: (...scope: Scope) => Promise<void>
  /** What the documentation leaves open, with the reading that holds in the world (`current`). */
  assumptions: (...scope: Scope) => Promise<Assumption[]>
  /**
   * The journal, the newest first.
   * @param filter `limit`: how many at most; all unless named
   * @example
   * const { requests } = await sim.requests({ operation: 'orderService', status: '4xx' })
   */
  requests: (filter?: RequestFilter & { limit?: number }) => Promise<JournalPage>
  /**
   * Resolves as soon as so many such requests are in the journal, those that are there already included.
   * @param filter `count`: how many (1); `timeout`: milliseconds of real time (5000)
   * @throws SimulatorError (408) if they did not come in time
   * @example
   * await sim.waitForRequests({ operation: 'orderService', count: 2 })
   */
  waitForRequests: (filter?: RequestFilter & { count?: number; timeout?: number }) => Promise<RequestList>
  /** What the client does that will hurt against the real service. */
  findings: (...scope: Scope) => Promise<Finding[]>
}

/** An account of its own for a test: nothing is shared with others, so tests can run side by side. */
export interface Account extends WorldControls, NewAccount, AsyncDisposable {
  /** Deletes it; `await using` does that at the end of the scope. */
  delete: () => Promise<void>
}

/** A simulator that runs, here or elsewhere. What it refuses is thrown as a SimulatorError. */
export interface SimulatorHandle extends WorldControls<[scope?: AccountScope]> {
  /** `http://127.0.0.1:4010`, without a slash at the end */
  url: string
  /**
   * The Authorization header of a login (`Basic …`).
   * @param login the only account's unless named
   * @throws UserError (`ERR_PROXYSIM_ACCOUNT`) if there is no such account, or several
   * @example
   * await fetch(`${sim.url}/api/clients`, { headers: { authorization: sim.authorization('reseller') } })
   */
  authorization: (login?: string) => string
  /** The version, and the scenario that a reset loads. */
  health: () => Promise<Health>

  /** The scenarios that can be loaded by name. */
  scenarios: () => Promise<ScenarioInfo[]>
  /**
   * Loads a scenario: accounts, journal, coverage and faults begin anew.
   * @param scenario one of the simulator's by its name, or the scenario itself
   * @throws SimulatorError 404 if it is unknown, 400 if it is wrong; nothing has changed
   * @example
   * await sim.load('ip-conflict')
   */
  load: <const Name extends string>(scenario: NamedScenario<Name> | ScenarioInput) => Promise<Loaded>
  /** The present state of all accounts as a scenario that, loaded again, gives the same answers. */
  scenario: () => Promise<ScenarioDocument>
  /**
   * Keeps the present state of all accounts.
   * @returns the id to go back to it
   * @example
   * const before = await sim.snapshot()
   * await sim.restore(before)
   */
  snapshot: () => Promise<string>
  /**
   * Goes back to a state that was kept; the journal goes on.
   * @throws SimulatorError (404) if there is no such snapshot
   */
  restore: (id: string) => Promise<void>

  /** The accounts, with how many records each has. */
  accounts: () => Promise<AccountSummary[]>
  /**
   * Creates an isolated account: a world of its own, as the first account of a scenario has it.
   * @param options `scenario`: the present one unless named; `login`: a fresh one unless named
   * @throws SimulatorError 404 if the scenario is unknown, 409 if the login is taken
   * @example
   * await using account = await sim.createAccount({ scenario: 'low-funds' })
   */
  createAccount: <const Name extends string = string>(options?: {
    scenario?: NamedScenario<Name>
    login?: string
  }) => Promise<Account>
  /**
   * Deletes an account with all that it has.
   * @throws SimulatorError (404) if there is none
   */
  deleteAccount: (login: string) => Promise<void>
  /**
   * The controls of one account's world, so that it need not be named each time.
   * @example
   * await sim.account('reseller').patch({ credit: 0 })
   */
  account: (login: string) => WorldControls
  /**
   * Generates an API token; it is accepted in the password's place.
   * @param login the only account's unless named
   */
  token: (login?: string) => Promise<string>

  /**
   * Takes an account back to just before a request of the journal, fault counters and clock setting included. Other
   * accounts are left alone. Rewinding can be rewound itself.
   * @param id the request's `id`
   * @returns the account's login, and the version that its world has now
   * @throws SimulatorError (404) if there is no such request, (409) if the history does not reach back that far
   * @example
   * const { requests } = await sim.requests({ operation: 'orderService', status: '4xx' })
   * await sim.rewind(requests[0].id)
   */
  rewind: (id: number) => Promise<{ account: string; version: number }>
  /**
   * A scenario that has the account's world as it was just before a request, its clock standing, and the call as a curl
   * line. Loaded anywhere, the call gets the same status, body and case.
   * @throws SimulatorError (404) if there is no such request, (409) if the history does not reach back that far
   * @example
   * const { scenario, curl } = await sim.repro(17)
   */
  repro: (id: number) => Promise<{ scenario: ScenarioDocument; curl: string }>

  /** Empties the journal; coverage stays. */
  clearRequests: () => Promise<void>
  /**
   * The journal as HAR 1.2, the oldest first.
   * @param filter `limit`: how many at most; all unless named
   */
  har: (filter?: RequestFilter & { limit?: number }) => Promise<Har>
  /**
   * Which answers of the contract were given since the last reset.
   * @example
   * const { percent } = await sim.coverage()
   * await writeFile('coverage.md', await sim.coverage('markdown'))
   */
  coverage: {
    (): Promise<CoverageReport>
    (format: 'markdown' | 'junit'): Promise<string>
  }
}

/** A simulator that `startSimulator` or `openSimulator` gave. */
export interface StartedSimulator extends SimulatorHandle, AsyncDisposable {
  /** Stops it and frees its port. One that ran before `openSimulator` goes on running. */
  close: () => Promise<void>
}

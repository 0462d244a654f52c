import type { Har } from 'har-format'
import type { Finding } from '../findings/findings.ts'
import type {
  AccountSummary,
  ActiveFault,
  Assumption,
  ClockReading,
  Timeline,
  CoverageReport,
  Health,
  RequestPage,
  LoadResult,
  NewAccount,
  RequestMatches,
  ScenarioInfo,
  Snapshot,
  AccountState,
} from '../contract/shapes.ts'
import type { CaseName, OperationId } from '../contract/cases.gen.ts'
import type { simulatorCases } from '../journal/shownCase.ts'
import type { ScenarioAccount, ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import type { ScenarioNames } from '../scenario/scenarioNames.gen.ts'
import type { FaultInput, PatchOf, TransitionNames } from '../world/World.ts'
import type { FaultName, FaultOptions, NamedFault } from './FaultOptions.ts'

/** Names of the bundled scenarios, and of those added to `ScenarioNames` */
export type ScenarioName = keyof ScenarioNames

/** A scenario file, YAML or JSON */
export type ScenarioFile = `${string}.yaml` | `${string}.yml` | `${string}.json` | `${string}/${string}`

/**
 * The name of a scenario. An unknown name is a compile error, but any value of type `string` is accepted, such as a variable.
 */
export type ScenarioNameOf<Name extends string> = string extends Name ? Name : ScenarioName

/** The name of a scenario, or its file. */
export type ScenarioRef<Name extends string> = string extends Name ? Name : ScenarioName | ScenarioFile

/**
 * A scenario, as in a file, except that the description is optional. With `extends` or `fixtures`, it only contains the
 * differences.
 * @example
 * { extends: 'default', accounts: { reseller: { credit: 0 } } }
 */
export interface ScenarioInput extends Partial<Omit<ScenarioDocument, 'accounts'>> {
  /** Name of another scenario that this one changes */
  extends?: string
  /** Files in fixtures/ that are merged first */
  fixtures?: string[]
  /** Accounts by login; null removes an account of the extended scenario */
  accounts?: Record<string, AccountPatch | null>
}

/** A fault; a fault with the effects of a named one, by default on all operations; or the name alone */
type AccountFault = FaultInput | NamedFault | FaultName

/** A JSON Merge Patch to an account, in which faults may be named. */
export type AccountPatch = PatchOf<Omit<ScenarioAccount, 'faults'>> & {
  /** A list replaces all faults. In a map by id, null removes a fault. */
  faults?: AccountFault[] | Record<string, AccountFault | null> | null
}

/** The account of a call; optional if there is one besides those that `createAccount` made. */
export interface AccountScope {
  /** The login */
  account?: string
}

/** Filters the journal; requests must match every field. */
export interface RequestFilter extends AccountScope {
  /** The operationId */
  operation?: OperationId
  /** A status such as 422, or a class such as `4xx` */
  status?: number | `${1 | 2 | 3 | 4 | 5}xx`
  /** A case, as in `Sim-Case`. With your own contract, one of its cases */
  case?: CaseName | (typeof simulatorCases)[number] | (string & Record<never, never>)
}

/**
 * An account's clock. All dates in responses, including the header `Date`, follow it. It only goes back together with the state,
 * on `load`, `reset`, `restore` and `rewind`.
 */
export interface ClockControls<Scope extends unknown[]> {
  /**
   * Returns the time, the rate, and whether the clock is frozen.
   * @example
   * const { now, frozen, rate } = await sim.clock.read()
   */
  read: (...scope: Scope) => Promise<ClockReading>
  /**
   * Returns the account's current time.
   * @example
   * const due = new Date((await sim.clock.now()).getTime() + 60_000)
   */
  now: (...scope: Scope) => Promise<Date>
  /**
   * Sets the time. The clock stays running or frozen.
   * @param now ISO 8601 with a time zone, or a Date
   * @throws SimulatorError (400) if the time is invalid, or before the clock's current time
   * @example
   * await sim.clock.set('2026-02-01T00:00:00Z')
   */
  set: (now: string | Date, ...scope: Scope) => Promise<ClockReading>
  /**
   * Stops the clock at its current time. `advance`, `set` and `sleep` still move it.
   * @example
   * await sim.clock.freeze()
   */
  freeze: (...scope: Scope) => Promise<ClockReading>
  /**
   * Lets a frozen clock run again, from where it stopped.
   * @example
   * await sim.clock.resume()
   */
  resume: (...scope: Scope) => Promise<ClockReading>
  /**
   * Moves the clock forward. Due changes are applied before the promise resolves.
   * @param by an ISO 8601 duration
   * @throws SimulatorError (400) if the duration is invalid
   * @example
   * await sim.clock.advance('PT1H')
   */
  advance: (by: string, ...scope: Scope) => Promise<ClockReading>
  /**
   * Moves the clock forward. Pass `account.clock` to a client that accepts a clock, so that it polls and retries without waiting.
   * @param ms milliseconds, 0 or more
   * @example
   * const client = createClient({ clock: account.clock }) // in production { now: () => new Date(), sleep }
   */
  sleep: (ms: number, ...scope: Scope) => Promise<void>
  /**
   * Sets how fast the clock runs while it isn't frozen.
   * @param rate account seconds per real second, more than 0 and at most 100,000. A new clock's rate is 1
   * @throws SimulatorError (400) if the rate is out of range
   * @example
   * await sim.clock.setRate(60) // one minute per second
   */
  setRate: (rate: number, ...scope: Scope) => Promise<ClockReading>
}

/**
 * A change that is due at an instant (ISO 8601), or after a duration by the account's clock. It has one of `patch`, `add`,
 * `activate`, `pay` and `renew`.
 */
export type ScheduledChange = (
  | {
      /** ISO 8601: `2026-02-01T00:00:00Z` */
      at: string
    }
  | {
      /** ISO 8601 duration by the account's clock: `PT10M` */
      after: string
    }
) &
  TransitionNames & {
    /** A JSON Merge Patch to the account's state */
    patch?: AccountPatch
    /** ISO 8601 duration after which the change is due again, counted from the first time. Requires `times` */
    every?: string
    /** Total number of occurrences */
    times?: number
    /** Shown in the event stream (`GET /__admin/events`) and in the account's history */
    description?: string
  }

/** Controls an account's state. */
export interface AccountControls<Scope extends unknown[] = []> {
  clock: ClockControls<Scope>
  /**
   * Returns the account's state, in the format of accounts in scenarios. Money is in USD.
   * @example
   * const { credit, services } = await sim.state()
   */
  state: (...scope: Scope) => Promise<AccountState>
  /**
   * Schedules a change. It is applied when the account's clock reaches a given time.
   * @returns the scheduled change with its id
   * @throws SimulatorError (400) if the change is invalid; `details` lists the issues, and nothing has changed
   * @example
   * await sim.schedule({ after: 'PT10S', patch: { services: { 5001: { status: 'Suspended' } } } })
   */
  schedule: (entry: ScheduledChange, ...scope: Scope) => Promise<Timeline['timeline'][number]>
  /**
   * Returns the scheduled changes, soonest first, and those that were skipped.
   * @example
   * const { timeline, skipped } = await sim.timeline()
   */
  timeline: (...scope: Scope) => Promise<Timeline>
  /**
   * Removes one scheduled change.
   * @param id the scheduled change's `id`
   * @throws SimulatorError (404) if there is no such change
   * @example
   * const { id } = await sim.schedule({ after: 'PT10S', activate: 5003 })
   * await sim.unschedule(id)
   */
  unschedule: (id: number, ...scope: Scope) => Promise<void>
  /**
   * Removes all scheduled changes.
   * @example
   * await sim.clearTimeline()
   */
  clearTimeline: (...scope: Scope) => Promise<void>
  /**
   * Applies a JSON Merge Patch (RFC 7386) to the account's state, entirely or not at all. Null removes a value.
   * @returns the patched state
   * @throws SimulatorError (400) if the patch is invalid; `details` lists the issues. UserError for NaN and Infinity. Nothing
   *   has changed
   * @example
   * await sim.patch({ credit: 0, services: { 5001: { status: 'Suspended' } } })
   */
  patch: (change: AccountPatch, ...scope: Scope) => Promise<AccountState>
  /**
   * Resets the account's state, faults and clock to its scenario. `sim.reset()` without an account resets all accounts,
   * like `load`, and clears the journal and the coverage.
   * @throws SimulatorError (404) if there is no such account
   * @example
   * await sim.reset()
   */
  reset: (...scope: Scope) => Promise<LoadResult>
  /**
   * Adds a fault, which applies from the next request on. A name alone (`'lost'` or `503`) applies to all operations.
   * @throws SimulatorError (400) if it is invalid
   * @example
   * // The order is paid for, but its response is lost.
   * await sim.fault({ name: 'lost', operation: 'orderService', times: 1 })
   */
  fault: <Op extends OperationId | '*'>(
    fault: FaultOptions<Op> | NamedFault | FaultName,
    ...scope: Scope
  ) => Promise<ActiveFault>
  /**
   * Returns the faults, including exhausted ones. The first matching fault triggers.
   * @example
   * const exhausted = (await sim.faults()).filter((fault) => fault.exhausted)
   */
  faults: (...scope: Scope) => Promise<ActiveFault[]>
  /**
   * Removes one fault.
   * @param id the fault's `id`
   * @throws SimulatorError (404) if there is no such fault
   * @example
   * const { id } = await sim.fault({ operation: '*', delay: 2000 })
   * await sim.removeFault(id)
   */
  removeFault: (id: number, ...scope: Scope) => Promise<void>
  /**
   * Removes all faults.
   * @example
   * await sim.clearFaults()
   */
  clearFaults: (...scope: Scope) => Promise<void>
  /**
   * Returns the assumptions about gaps in the documentation: the account's `value`, whether it is `confirmed`, and whether a
   * call relied on it (`used`).
   * @example
   * const open = (await sim.assumptions()).filter(({ used, confirmed }) => used && !confirmed)
   */
  assumptions: (...scope: Scope) => Promise<Assumption[]>
  /**
   * Returns the journal: requests with their responses, newest first.
   * @param filter `limit`: maximum number to return (default: all)
   * @example
   * const { requests } = await sim.requests({ operation: 'orderService', status: '4xx' })
   */
  requests: (filter?: RequestFilter & { limit?: number }) => Promise<RequestPage>
  /**
   * Resolves once enough matching requests are in the journal. Requests that are already there count.
   * @param filter `count`: number of requests (default: 1); `timeout`: milliseconds of real time (default: 5000)
   * @throws SimulatorError (408) if they aren't made in time
   * @example
   * await sim.waitForRequests({ operation: 'orderService', count: 2 })
   */
  waitForRequests: (filter?: RequestFilter & { count?: number; timeout?: number }) => Promise<RequestMatches>
  /**
   * Clears the journal, but not the coverage.
   * @example
   * await sim.clearRequests()
   */
  clearRequests: (...scope: Scope) => Promise<void>
  /**
   * Returns the journal as HAR 1.2, oldest first.
   * @param filter `limit`: maximum number to return (default: all)
   * @example
   * await writeFile('calls.har', JSON.stringify(await sim.har({ status: '4xx' })))
   */
  har: (filter?: RequestFilter & { limit?: number }) => Promise<Har>
  /**
   * Returns habits of the client that would break in production, the worst first.
   * @example
   * expect(await sim.findings()).toEqual([])
   */
  findings: (...scope: Scope) => Promise<Finding[]>
  /**
   * Returns which responses of the contract were covered since the last reset.
   * @example
   * const { percent } = await sim.account('reseller').coverage()
   */
  coverage: (...scope: Scope) => Promise<CoverageReport>
}

/** An isolated account for a test. It shares nothing with others, so tests can run in parallel. */
export interface Account extends AccountControls, NewAccount, AsyncDisposable {
  /**
   * Deletes the account. `await using` deletes it at the end of the scope.
   * @throws SimulatorError (404) if it is already deleted
   * @example
   * await account.delete()
   */
  delete: () => Promise<void>
}

/** A running simulator, in this process or elsewhere. Refused calls throw a SimulatorError. */
export interface SimulatorHandle extends AccountControls<[scope?: AccountScope]> {
  /** `http://127.0.0.1:4010`, without a trailing slash */
  url: string
  /**
   * Returns the Authorization header of an account (`Basic …`). For an account that another process created or changed, call
   * `state({ account })` first.
   * @param login not needed if there is only one account
   * @throws UserError (`ERR_PROXYSIM_ACCOUNT`) if this handle doesn't know the account, or the login is missing
   * @example
   * await fetch(`${sim.url}/api/clients`, { headers: { authorization: sim.authorization('reseller') } })
   */
  authorization: (login?: string) => string
  /**
   * Returns the simulator's version, and the scenario that a reset loads.
   * @example
   * const { version, scenario } = await sim.health()
   */
  health: () => Promise<Health>

  /**
   * Lists the scenarios that can be loaded by name.
   * @example
   * const names = (await sim.scenarios()).map(({ name }) => name)
   */
  scenarios: () => Promise<ScenarioInfo[]>
  /**
   * Loads a scenario. This replaces the accounts and faults, and clears the journal and coverage.
   * @param scenario the name of one of the simulator's scenarios, or a scenario itself
   * @throws SimulatorError (404) if the name is unknown, (400) if the scenario is invalid; UserError if the name is
   *   empty. Nothing has changed
   * @example
   * await sim.load('ip-conflict')
   */
  load: <const Name extends string>(scenario: ScenarioNameOf<Name> | ScenarioInput) => Promise<LoadResult>
  /**
   * Returns the current state of all accounts as a scenario, which gives the same responses once loaded.
   * @example
   * const before = await sim.scenario()
   * await sim.load(before)
   */
  scenario: () => Promise<ScenarioDocument>
  /**
   * Lists the snapshots, oldest first, followed by `before-load`: the state before the latest load or reset, if any.
   * @example
   * const ids = (await sim.snapshots()).map(({ id }) => id)
   */
  snapshots: () => Promise<Snapshot[]>
  /**
   * Takes a snapshot of all accounts.
   * @returns the id of the snapshot
   * @example
   * const before = await sim.snapshot()
   * await sim.restore(before)
   */
  snapshot: () => Promise<string>
  /**
   * Restores a snapshot, one account after the other: if the storage fails halfway, restore it again. The journal is kept, but
   * after a load since the snapshot, its requests can't be rewound or reproduced.
   * @throws SimulatorError (404) if there is no such snapshot; UserError if the id is empty
   * @example
   * await sim.restore('s1')
   */
  restore: (id: string) => Promise<void>

  /**
   * Lists the accounts, each with the number of its records of each kind.
   * @example
   * const logins = (await sim.accounts()).map(({ login }) => login)
   */
  accounts: () => Promise<AccountSummary[]>
  /**
   * Creates an isolated account, with the state of a scenario's first account.
   * @param options `scenario` (default: the current one), `login` (default: a generated one), and `label`: a name for people, such as
   * the test's, which the dashboard and reports show
   * @throws SimulatorError (404) if the scenario is unknown, (409) if the login is taken
   * @example
   * await using account = await sim.createAccount({ scenario: 'low-funds', label: 'orders without credit' })
   */
  createAccount: <const Name extends string = string>(options?: {
    scenario?: ScenarioNameOf<Name>
    login?: string
    label?: string
  }) => Promise<Account>
  /**
   * Deletes an account and everything in it.
   * @throws SimulatorError (404) if there is no such account
   * @example
   * await sim.deleteAccount('mine')
   */
  deleteAccount: (login: string) => Promise<void>
  /**
   * Returns the controls of one account, so that you don't have to name it in each call.
   * @example
   * await sim.account('reseller').patch({ credit: 0 })
   */
  account: (login: string) => AccountControls
  /**
   * Generates an API token, which can be used instead of the password.
   * @param login not needed if there is only one account
   * @throws UserError (`ERR_PROXYSIM_ACCOUNT`) if the login is missing and there isn't exactly one account
   * @example
   * const token = await sim.token('reseller')
   */
  token: (login?: string) => Promise<string>

  /**
   * Takes an account back to just before a request in the journal, including fault counters and the clock's setting.
   * Other accounts aren't affected. To undo a rewind, rewind to a later request.
   * @param id the request's `id`
   * @returns the account's login, and the new version of its state
   * @throws SimulatorError (404) if there is no such request, (409) if the history doesn't reach back to it
   * @example
   * const { requests } = await sim.requests({ operation: 'orderService', status: '4xx' })
   * if (requests[0]) await sim.rewind(requests[0].id)
   */
  rewind: (id: number, scope?: AccountScope) => Promise<{ account: string; version: number }>
  /**
   * Returns a scenario with the account's state just before a request and a frozen clock, and the request as a curl command.
   * Wherever the scenario is loaded, the command gets the same status, body and case.
   * @param id the request's `id`
   * @returns the scenario, and the curl command
   * @throws SimulatorError (404) if there is no such request, (409) if the history doesn't reach back to it
   * @example
   * const { scenario, curl } = await sim.repro(17)
   */
  repro: (id: number, scope?: AccountScope) => Promise<{ scenario: ScenarioDocument; curl: string }>

  /**
   * Returns which responses of the contract were covered since the last reset, as an object or a rendered report.
   * @example
   * const { percent } = await sim.coverage()
   * await writeFile('coverage.md', await sim.coverage('markdown'))
   */
  coverage: {
    (scope?: AccountScope): Promise<CoverageReport>
    (format: 'markdown' | 'junit'): Promise<string>
  }
}

/** A simulator from `startSimulator`, `openSimulator` or `connectSimulator`. */
export interface StartedSimulator extends SimulatorHandle, AsyncDisposable {
  /**
   * Stops the simulator and frees its port. A simulator that this handle only connected to keeps running.
   * @example
   * afterAll(() => sim.close())
   */
  close: () => Promise<void>
}

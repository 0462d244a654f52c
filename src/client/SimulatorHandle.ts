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
import type { ownCases } from '../journal/shownCase.ts'
import type { ScenarioAccount, ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import type { ScenarioNames } from '../scenario/scenarioNames.gen.ts'
import type { PatchOf, TransitionNames } from '../world/World.ts'
import type { FaultOptions } from './FaultOptions.ts'

/** The shipped scenarios, and those added to `ScenarioNames` */
export type ScenarioName = keyof ScenarioNames

/** A scenario file, YAML or JSON */
export type ScenarioFile = `${string}.yaml` | `${string}.yml` | `${string}.json` | `${string}/${string}`

/**
 * A scenario by name. An unknown name is a compile error, but any plain `string`, as from the environment, is accepted.
 */
export type ScenarioNameOf<Name extends string> = string extends Name ? Name : ScenarioName

/** A scenario by name, or its file. */
export type ScenarioRef<Name extends string> = string extends Name ? Name : ScenarioName | ScenarioFile

/**
 * A scenario like in a file, except that the description is optional. With `extends` or `fixtures`, it only contains the
 * differences.
 * @example
 * { extends: 'default', accounts: { reseller: { credit: 0 } } }
 */
export interface ScenarioInput extends Partial<Omit<ScenarioDocument, 'accounts'>> {
  /** Name of another scenario that this one changes */
  extends?: string
  /** Files in fixtures/ that are merged first */
  fixtures?: string[]
  /** By login; null removes an account of the other scenario */
  accounts?: Record<string, PatchOf<ScenarioAccount> | null>
}

/** An account; not needed if there is only one. */
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
  /** A case as `Sim-Case` shows it; with a contract of your own, one of its cases */
  case?: CaseName | (typeof ownCases)[number] | (string & Record<never, never>)
}

/**
 * An account's clock. All dates in responses and their header `Date` follow it. It goes back only when the state does: on
 * `load`, `reset`, `restore` and `rewind`.
 */
export interface ClockControls<Scope extends unknown[]> {
  /**
   * The time, the rate, and whether the clock is frozen.
   * @example
   * const { now, frozen, rate } = await sim.clock.read()
   */
  read: (...scope: Scope) => Promise<ClockReading>
  /**
   * The account's current time.
   * @example
   * const due = new Date((await sim.clock.now()).getTime() + 60_000)
   */
  now: (...scope: Scope) => Promise<Date>
  /**
   * Sets the time; the clock stays running or frozen.
   * @param now ISO 8601 with a time zone, or a Date
   * @throws SimulatorError (400) if that is in the clock's past, or no valid time
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
   * Moves the clock forward; everything due by then has happened when the promise resolves.
   * @param by an ISO 8601 duration
   * @throws SimulatorError (400) if it isn't one
   * @example
   * await sim.clock.advance('PT1H')
   */
  advance: (by: string, ...scope: Scope) => Promise<ClockReading>
  /**
   * Moves the clock forward. Together with `now` it is a clock for clients that take one, so that they poll and retry without
   * waiting.
   * @param ms milliseconds, 0 or more
   * @example
   * const client = createClient({ clock: account.clock }) // in production { now: () => new Date(), sleep }
   */
  sleep: (ms: number, ...scope: Scope) => Promise<void>
  /**
   * Sets how fast the clock runs while it isn't frozen.
   * @param rate seconds of this clock in one real second (default: 1), more than 0 and at most 100,000
   * @throws SimulatorError (400) otherwise
   * @example
   * await sim.clock.setRate(60) // a minute a second
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
    /** A JSON Merge Patch on the account's state */
    patch?: PatchOf<ScenarioAccount>
    /** ISO 8601 duration after which it is due again, counted from the first time; needs `times` */
    every?: string
    /** How often it is due in all */
    times?: number
    /** Shown in events and in the account's history */
    description?: string
  }

/** Controls an account's state. */
export interface AccountControls<Scope extends unknown[] = []> {
  clock: ClockControls<Scope>
  /**
   * The account's state, in the shape that accounts have in scenarios. Money is in USD.
   * @example
   * const { credit, services } = await sim.state()
   */
  state: (...scope: Scope) => Promise<AccountState>
  /**
   * Adds a change that happens once the account's clock has passed an instant.
   * @returns the entry with its id
   * @throws SimulatorError (400) with each issue in `details`; nothing has changed
   * @example
   * await sim.schedule({ after: 'PT10S', patch: { services: { 5001: { status: 'Suspended' } } } })
   */
  schedule: (entry: ScheduledChange, ...scope: Scope) => Promise<Timeline['timeline'][number]>
  /**
   * The changes that are scheduled, soonest first, and those that were skipped.
   * @example
   * const { timeline, skipped } = await sim.timeline()
   */
  timeline: (...scope: Scope) => Promise<Timeline>
  /**
   * Removes one scheduled change.
   * @param id the entry's `id`
   * @throws SimulatorError (404) if there is no such entry
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
   * Applies a JSON Merge Patch (RFC 7386) to the account's state, entirely or not at all: values are set, null removes.
   * @returns the patched state
   * @throws SimulatorError (400) with each issue in `details`, UserError for NaN and Infinity; nothing has changed
   * @example
   * await sim.patch({ credit: 0, services: { 5001: { status: 'Suspended' } } })
   */
  patch: (change: PatchOf<ScenarioAccount>, ...scope: Scope) => Promise<AccountState>
  /**
   * Resets the account's state, faults and clock to its scenario. `sim.reset()` without an account resets all of them, like
   * `load`, and clears journal and coverage.
   * @throws SimulatorError (404) if there is no such account
   * @example
   * await sim.reset()
   */
  reset: (...scope: Scope) => Promise<LoadResult>
  /**
   * Adds a fault, effective from the next request on.
   * @throws SimulatorError (400) if it is invalid
   * @example
   * // The order is paid for, but its response is lost.
   * await sim.fault({ operation: 'orderService', phase: 'after', drop: 'reset', times: 1 })
   */
  fault: <Op extends OperationId | '*'>(fault: FaultOptions<Op>, ...scope: Scope) => Promise<ActiveFault>
  /**
   * The faults, in the order in which they are tried, including exhausted ones.
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
   * What the documentation leaves open: the account's `value` of each assumption, whether it is `confirmed`, and whether a
   * call relied on it (`used`).
   * @example
   * const open = (await sim.assumptions()).filter(({ used, confirmed }) => used && !confirmed)
   */
  assumptions: (...scope: Scope) => Promise<Assumption[]>
  /**
   * The journal: requests with their responses, newest first.
   * @param filter `limit`: the most to return (default: all)
   * @example
   * const { requests } = await sim.requests({ operation: 'orderService', status: '4xx' })
   */
  requests: (filter?: RequestFilter & { limit?: number }) => Promise<RequestPage>
  /**
   * Resolves once enough matching requests are in the journal, including those that are there already.
   * @param filter `count`: how many (default: 1); `timeout`: milliseconds of real time (default: 5000)
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
   * The journal as HAR 1.2, oldest first.
   * @param filter `limit`: the most to return (default: all)
   * @example
   * await writeFile('calls.har', JSON.stringify(await sim.har({ status: '4xx' })))
   */
  har: (filter?: RequestFilter & { limit?: number }) => Promise<Har>
  /**
   * Habits of the client that would cause trouble in production, the worst first.
   * @example
   * expect(await sim.findings()).toEqual([])
   */
  findings: (...scope: Scope) => Promise<Finding[]>
  /**
   * Responses of the contract that were returned since the last reset.
   * @example
   * const { percent } = await sim.account('reseller').coverage()
   */
  coverage: (...scope: Scope) => Promise<CoverageReport>
}

/** An isolated account for a test: it shares nothing with others, so tests can run in parallel. */
export interface Account extends AccountControls, NewAccount, AsyncDisposable {
  /**
   * Deletes the account; `await using` does so at the end of the scope.
   * @throws SimulatorError (404) if it was deleted already
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
   * The Authorization header of an account (`Basic …`). What others do to accounts of a simulator that was connected to,
   * this handle only knows after `state()` of that account.
   * @param login not needed if there is only one account
   * @throws UserError (`ERR_PROXYSIM_ACCOUNT`) if no such account is known, or the login is missing
   * @example
   * await fetch(`${sim.url}/api/clients`, { headers: { authorization: sim.authorization('reseller') } })
   */
  authorization: (login?: string) => string
  /**
   * The simulator's version, and the scenario that a reset loads.
   * @example
   * const { version, scenario } = await sim.health()
   */
  health: () => Promise<Health>

  /**
   * The scenarios that can be loaded by name.
   * @example
   * const names = (await sim.scenarios()).map(({ name }) => name)
   */
  scenarios: () => Promise<ScenarioInfo[]>
  /**
   * Loads a scenario, which replaces accounts and faults and clears journal and coverage.
   * @param scenario the name of one of the simulator's scenarios, or a scenario itself
   * @throws SimulatorError (404) if the name is unknown, (400) if the scenario is invalid; UserError if the name is
   *   empty. Nothing has changed
   * @example
   * await sim.load('ip-conflict')
   */
  load: <const Name extends string>(scenario: ScenarioNameOf<Name> | ScenarioInput) => Promise<LoadResult>
  /**
   * The current state of all accounts as a scenario, which gives the same responses once loaded.
   * @example
   * const before = await sim.scenario()
   * await sim.load(before)
   */
  scenario: () => Promise<ScenarioDocument>
  /**
   * The snapshots. `before-load` holds what the last load or reset replaced.
   * @example
   * const ids = (await sim.snapshots()).map(({ id }) => id)
   */
  snapshots: () => Promise<Snapshot[]>
  /**
   * Takes a snapshot of all accounts.
   * @returns its id
   * @example
   * const before = await sim.snapshot()
   * await sim.restore(before)
   */
  snapshot: () => Promise<string>
  /**
   * Restores a snapshot. The journal is kept, but `rewind` and `repro` don't reach back beyond it.
   * @throws SimulatorError (404) if there is no such snapshot; UserError if the id is empty
   * @example
   * await sim.restore('s1')
   */
  restore: (id: string) => Promise<void>

  /**
   * The accounts, with the number of records of each.
   * @example
   * const logins = (await sim.accounts()).map(({ login }) => login)
   */
  accounts: () => Promise<AccountSummary[]>
  /**
   * Creates an isolated account, with the state of a scenario's first account.
   * @param options `scenario` (default: the current one) and `login` (default: a generated one)
   * @throws SimulatorError (404) if the scenario is unknown, (409) if the login is taken
   * @example
   * await using account = await sim.createAccount({ scenario: 'low-funds' })
   */
  createAccount: <const Name extends string = string>(options?: {
    scenario?: ScenarioNameOf<Name>
    login?: string
  }) => Promise<Account>
  /**
   * Deletes an account and everything in it.
   * @throws SimulatorError (404) if there is no such account
   * @example
   * await sim.deleteAccount('mine')
   */
  deleteAccount: (login: string) => Promise<void>
  /**
   * The controls of one account, so that you don't have to name it in each call.
   * @example
   * await sim.account('reseller').patch({ credit: 0 })
   */
  account: (login: string) => AccountControls
  /**
   * Generates an API token, which is accepted instead of the password.
   * @param login not needed if there is only one account
   * @throws UserError (`ERR_PROXYSIM_ACCOUNT`) if the login is missing and there isn't exactly one account
   * @example
   * const token = await sim.token('reseller')
   */
  token: (login?: string) => Promise<string>

  /**
   * Takes an account back to just before a request in the journal, including fault counters and the clock's setting.
   * Other accounts aren't affected. A rewind can itself be rewound.
   * @param id the request's `id`
   * @returns the account's login, and the new version of its state
   * @throws SimulatorError (404) if there is no such request, (409) if the history doesn't reach back to it
   * @example
   * const { requests } = await sim.requests({ operation: 'orderService', status: '4xx' })
   * if (requests[0]) await sim.rewind(requests[0].id)
   */
  rewind: (id: number, scope?: AccountScope) => Promise<{ account: string; version: number }>
  /**
   * A scenario with the account's state just before a request, its clock frozen, and the call as a curl command.
   * Wherever the scenario is loaded, the call gets the same status, body and case.
   * @throws SimulatorError (404) if there is no such request, (409) if the history doesn't reach back to it
   * @example
   * const { scenario, curl } = await sim.repro(17)
   */
  repro: (id: number, scope?: AccountScope) => Promise<{ scenario: ScenarioDocument; curl: string }>

  /**
   * Which responses of the contract were returned since the last reset.
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
   * Stops the simulator and frees its port. One that this handle only connected to keeps running.
   * @example
   * afterAll(() => sim.close())
   */
  close: () => Promise<void>
}

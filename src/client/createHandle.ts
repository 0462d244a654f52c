import type { ClockReading, LoadResult, NewAccount, AccountState } from '../contract/shapes.ts'
import { unknownName } from '../lib/nearest.ts'
import { listNames, quoted } from '../lib/text.ts'
import { UserError } from '../lib/UserError.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { onlyLogin, encodeSegment, type ControlPlane } from './ControlPlane.ts'
import { SimulatorError } from './SimulatorError.ts'
import type { Account, AccountScope, SimulatorHandle, AccountControls } from './SimulatorHandle.ts'

/**
 * Creates the handle of a simulator from its control plane.
 * @param keepPasswords whether to read the accounts' passwords, which `authorization` needs, in additional requests
 * @throws SimulatorError; UserError if no simulator answers
 */
export async function createHandle(plane: ControlPlane, keepPasswords = true): Promise<SimulatorHandle> {
  const accounts = new Accounts(plane, keepPasswords)
  await accounts.readPasswords()
  return {
    ...createControls(accounts),
    url: plane.url,
    authorization: (login) => accounts.authorization(login),
    health: () => plane.json('GET', '/health'),

    scenarios: () => plane.json('GET', '/scenarios'),
    load: async (scenario) => {
      const loaded = await (typeof scenario === 'string'
        ? plane.json<LoadResult>('POST', `/scenarios/${encodeSegment('scenario', scenario)}/load`)
        : plane.json<LoadResult>('PUT', '/scenario', { body: scenario }))
      await accounts.readPasswords()
      return loaded
    },
    scenario: () => plane.json('GET', '/scenario'),
    snapshots: () => plane.json('GET', '/snapshots'),
    snapshot: async () => (await plane.json<{ id: string }>('POST', '/snapshots')).id,
    restore: async (id) => {
      await plane.json('POST', `/snapshots/${encodeSegment('snapshot', id)}/restore`)
      await accounts.readPasswords()
    },

    accounts: () => plane.json('GET', '/accounts'),
    createAccount: (options) => accounts.create(options),
    deleteAccount: (login) => accounts.delete(login),
    account: (login) => createControls(accounts, login),
    token: async (login) => {
      const path = `${accountPath(login ?? (await onlyLogin(plane, true)))}/tokens`
      return (await plane.json<{ token: string }>('POST', path)).token
    },

    rewind: async (id, query) => {
      const rewound = await plane.json<{ account: string; version: number }>(
        'POST',
        `/requests/${id}/rewind`,
        { query: { ...query } },
      )
      await accounts.readPassword(rewound.account)
      return rewound
    },
    repro: (id, query) => plane.json('GET', `/requests/${id}/repro`, { query: { ...query } }),
    coverage: ((formatOrScope?: string | AccountScope) =>
      typeof formatOrScope === 'string'
        ? plane.text('GET', '/coverage', { query: { format: formatOrScope } })
        : createControls(accounts).coverage(formatOrScope)) as SimulatorHandle['coverage'],
  }
}

/** The accounts of a simulator, and their passwords, which are stored because `authorization` is synchronous. */
class Accounts {
  readonly plane: ControlPlane
  readonly #keepPasswords: boolean
  readonly #passwords = new Map<string, string>()

  constructor(plane: ControlPlane, keepPasswords: boolean) {
    this.plane = plane
    this.#keepPasswords = keepPasswords
  }

  /** Reads the passwords of all accounts. */
  async readPasswords(): Promise<void> {
    if (!this.#keepPasswords) return
    const { accounts } = await this.plane.json<ScenarioDocument>('GET', '/scenario')
    this.#passwords.clear()
    for (const [login, { password }] of Object.entries(accounts)) this.#passwords.set(login, password)
  }

  /** Reads the password of an account, which may have changed. */
  async readPassword(login: string): Promise<void> {
    if (this.#keepPasswords) await this.requestState(login)
  }

  /** Calls an account's endpoint, and stores the password in the state that it returns. */
  async requestState(login: string, method = 'GET', body?: unknown): Promise<AccountState> {
    const state = await this.plane.json<AccountState>(method, accountPath(login), { body })
    this.#passwords.set(login, state.password)
    return state
  }

  async create(options: object = {}): Promise<Account> {
    const created = await this.plane.json<NewAccount>('POST', '/accounts', { body: options })
    const { login, password } = created
    this.#passwords.set(login, password)
    const dispose = () =>
      this.delete(login).catch((error: unknown) => {
        // The account may be deleted before its scope ends. An error here would hide the test's own error.
        if (!(error instanceof SimulatorError && error.status === 404)) throw error
      })
    const remove = () => this.delete(login)
    return { ...createControls(this, login), ...created, delete: remove, [Symbol.asyncDispose]: dispose }
  }

  async delete(login: string): Promise<void> {
    await this.plane.json('DELETE', accountPath(login))
    this.#passwords.delete(login)
  }

  authorization(login?: string): string {
    const logins = [...this.#passwords.keys()]
    const name = login ?? (logins.length === 1 ? logins[0] : undefined)
    const password = this.#passwords.get(name ?? '')
    if (password !== undefined) return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
    const problem = name === undefined ? 'Name the account.' : `No account ${quoted(name)} is known.`
    throw new UserError(`${problem} Known: ${listNames(logins)}.`, {
      advice: 'If another process created or changed the account, call state({ account }) first.',
      code: 'ERR_PROXYSIM_ACCOUNT',
    })
  }
}

/** Creates the controls of one account, or controls that take the account as an argument. */
function createControls(accounts: Accounts, fixedLogin?: string): AccountControls<[scope?: AccountScope]> {
  const { plane } = accounts
  // Unknown fields of a scope are sent, too, so that they are refused: a misspelt account would mean all accounts.
  const query = (scope?: AccountScope) => ({ ...scope, account: fixedLogin ?? scope?.account })
  const call = <T>(method: string, path: string, scope?: AccountScope, body?: unknown) =>
    plane.json<T>(method, path, { query: query(scope), body })
  const callState = async (method: string, scope?: AccountScope, body?: unknown) => {
    const { account = await onlyLogin(plane, method !== 'GET'), ...others } = query(scope)
    for (const name in others) throw new UserError(unknownName('option', name, ['account']))
    return accounts.requestState(account, method, body)
  }
  return {
    clock: {
      read: (scope) => call('GET', '/clock', scope),
      now: async (scope) => new Date((await call<ClockReading>('GET', '/clock', scope)).now),
      // A missing time is sent as null, which is rejected. `{}` would set nothing.
      set: (now, scope) => call('PUT', '/clock', scope, { now: now ?? null }),
      freeze: (scope) => call('PUT', '/clock', scope, { frozen: true }),
      resume: (scope) => call('PUT', '/clock', scope, { frozen: false }),
      advance: (by, scope) => call('POST', '/clock/advance', scope, { by }),
      sleep: async (ms, scope) => void (await call('POST', '/clock/advance', scope, { by: toDuration(ms) })),
      setRate: (rate, scope) => call('PUT', '/clock', scope, { rate }),
    },
    state: (scope) => callState('GET', scope),
    patch: (change, scope) => callState('PATCH', scope, change),
    reset: async (scope) => {
      const loaded = await call<LoadResult>('POST', '/reset', scope)
      const { account } = query(scope)
      await (account === undefined ? accounts.readPasswords() : accounts.readPassword(account))
      return loaded
    },
    schedule: (entry, scope) => call('POST', '/timeline', scope, entry),
    timeline: (scope) => call('GET', '/timeline', scope),
    unschedule: (id, scope) => call('DELETE', `/timeline/${id}`, scope),
    clearTimeline: (scope) => call('DELETE', '/timeline', scope),
    fault: (fault, scope) =>
      call('POST', '/faults', scope, typeof fault === 'object' ? fault : { name: fault }),
    faults: (scope) => call('GET', '/faults', scope),
    removeFault: (id, scope) => call('DELETE', `/faults/${id}`, scope),
    clearFaults: (scope) => call('DELETE', '/faults', scope),
    assumptions: (scope) => call('GET', '/assumptions', scope),
    requests: (filter) => plane.json('GET', '/requests', { query: query(filter) }),
    clearRequests: (scope) => call('DELETE', '/requests', scope),
    har: (filter) => plane.json('GET', '/requests.har', { query: query(filter) }),
    waitForRequests: (filter) => plane.json('POST', '/requests/wait', { body: query(filter) }),
    findings: (scope) => call('GET', '/findings', scope),
    coverage: (scope) => call('GET', '/coverage', scope),
  }
}

function accountPath(login: string): string {
  return `/accounts/${encodeSegment('login', login)}`
}

/** Converts milliseconds to an ISO 8601 duration. */
function toDuration(ms: number): string {
  return `PT${Math.ceil(ms) / 1000}S`
}

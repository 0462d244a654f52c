import type { ClockReading, LoadResult, NewAccount, AccountState } from '../contract/shapes.ts'
import { UserError } from '../lib/UserError.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { onlyLogin, segment, type ControlPlane } from './ControlPlane.ts'
import { SimulatorError } from './SimulatorError.ts'
import type { Account, AccountScope, SimulatorHandle, AccountControls } from './SimulatorHandle.ts'

/**
 * Creates the handle of a simulator from its control plane.
 * @param keepsPasswords false for callers without need of `authorization`: they ask the simulator for nothing else than they call
 * @throws SimulatorError; UserError if no simulator answers
 */
export async function createHandle(plane: ControlPlane, keepsPasswords = true): Promise<SimulatorHandle> {
  const accounts = new Accounts(plane, keepsPasswords)
  await accounts.learn()
  return {
    ...controlsOf(accounts),
    url: plane.url,
    authorization: (login) => accounts.authorization(login),
    health: () => plane.json('GET', '/health'),

    scenarios: () => plane.json('GET', '/scenarios'),
    load: async (scenario) => {
      const loaded = await (typeof scenario === 'string'
        ? plane.json<LoadResult>('POST', `/scenarios/${segment('scenario', scenario)}/load`)
        : plane.json<LoadResult>('PUT', '/scenario', { body: scenario }))
      await accounts.learn()
      return loaded
    },
    scenario: () => plane.json('GET', '/scenario'),
    snapshots: () => plane.json('GET', '/snapshots'),
    snapshot: async () => (await plane.json<{ id: string }>('POST', '/snapshots')).id,
    restore: async (id) => {
      await plane.json('POST', `/snapshots/${segment('snapshot', id)}/restore`)
      await accounts.learn()
    },

    accounts: () => plane.json('GET', '/accounts'),
    createAccount: (options) => accounts.create(options),
    deleteAccount: (login) => accounts.delete(login),
    account: (login) => controlsOf(accounts, login),
    token: async (login) => {
      const path = `${pathOf(login ?? (await onlyLogin(plane)))}/tokens`
      return (await plane.json<{ token: string }>('POST', path)).token
    },

    rewind: async (id, query) => {
      const rewound = await plane.json<{ account: string; version: number }>(
        'POST',
        `/requests/${id}/rewind`,
        { query: { ...query } },
      )
      await accounts.state(rewound.account)
      return rewound
    },
    repro: (id, query) => plane.json('GET', `/requests/${id}/repro`, { query: { ...query } }),
    coverage: ((given?: string | AccountScope) =>
      typeof given === 'string'
        ? plane.text('GET', '/coverage', { query: { format: given } })
        : controlsOf(accounts).coverage(given)) as SimulatorHandle['coverage'],
  }
}

/** The accounts of a simulator, and their passwords: `authorization` is synchronous. */
class Accounts {
  readonly plane: ControlPlane
  readonly #keepsPasswords: boolean
  readonly #passwords = new Map<string, string>()

  constructor(plane: ControlPlane, keepsPasswords: boolean) {
    this.plane = plane
    this.#keepsPasswords = keepsPasswords
  }

  /** Reads the passwords of all accounts. */
  async learn(): Promise<void> {
    if (!this.#keepsPasswords) return
    const { accounts } = await this.plane.json<ScenarioDocument>('GET', '/scenario')
    this.#passwords.clear()
    for (const [login, { password }] of Object.entries(accounts)) this.#passwords.set(login, password)
  }

  async state(login: string, method = 'GET', body?: unknown): Promise<AccountState> {
    const shown = await this.plane.json<AccountState>(method, pathOf(login), { body })
    this.#passwords.set(login, shown.password)
    return shown
  }

  async create(options: object = {}): Promise<Account> {
    const given = await this.plane.json<NewAccount>('POST', '/accounts', { body: options })
    const { login, password } = given
    this.#passwords.set(login, password)
    const dispose = () =>
      this.delete(login).catch((error: unknown) => {
        // The account was deleted before its scope ended. An error here would hide the test's own error.
        if (!(error instanceof SimulatorError && error.status === 404)) throw error
      })
    const remove = () => this.delete(login)
    return { ...controlsOf(this, login), ...given, delete: remove, [Symbol.asyncDispose]: dispose }
  }

  async delete(login: string): Promise<void> {
    await this.plane.json('DELETE', pathOf(login))
    this.#passwords.delete(login)
  }

  authorization(login?: string): string {
    const logins = [...this.#passwords.keys()]
    const name = login ?? (logins.length === 1 ? logins[0] : undefined)
    const password = this.#passwords.get(name ?? '')
    if (password !== undefined) return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
    const problem = name === undefined ? 'Name the account.' : `No account ${JSON.stringify(name)} is known.`
    const known = logins.slice(0, 20).join(', ') || 'none'
    throw new UserError(
      `${problem} Known: ${known}. Those that others created or changed are known after state({ account }).`,
      { code: 'ERR_PROXYSIM_ACCOUNT' },
    )
  }
}

/** The controls of one account, or of all accounts with the login as an argument. */
function controlsOf(accounts: Accounts, fixed?: string): AccountControls<[scope?: AccountScope]> {
  const { plane } = accounts
  const query = (scope: AccountScope = {}) => ({ account: fixed ?? scope.account })
  const call = <T>(method: string, path: string, scope?: AccountScope, body?: unknown) =>
    plane.json<T>(method, path, { query: query(scope), body })
  const login = async (scope?: AccountScope) => query(scope).account ?? onlyLogin(plane)
  return {
    clock: {
      read: (scope) => call('GET', '/clock', scope),
      now: async (scope) => new Date((await call<ClockReading>('GET', '/clock', scope)).now),
      // null is rejected, because without a time there is nothing to set
      set: (now, scope) => call('PUT', '/clock', scope, { now: now ?? null }),
      freeze: (scope) => call('PUT', '/clock', scope, { frozen: true }),
      resume: (scope) => call('PUT', '/clock', scope, { frozen: false }),
      advance: (by, scope) => call('POST', '/clock/advance', scope, { by }),
      sleep: async (ms, scope) => void (await call('POST', '/clock/advance', scope, { by: durationOf(ms) })),
      setRate: (rate, scope) => call('PUT', '/clock', scope, { rate }),
    },
    state: async (scope) => accounts.state(await login(scope)),
    patch: async (change, scope) => accounts.state(await login(scope), 'PATCH', change),
    reset: async (scope) => {
      const loaded = await call<LoadResult>('POST', '/reset', scope)
      const { account } = query(scope)
      await (account === undefined ? accounts.learn() : accounts.state(account))
      return loaded
    },
    schedule: (entry, scope) => call('POST', '/timeline', scope, entry),
    timeline: (scope) => call('GET', '/timeline', scope),
    unschedule: (id, scope) => call('DELETE', `/timeline/${id}`, scope),
    clearTimeline: (scope) => call('DELETE', '/timeline', scope),
    fault: (fault, scope) => call('POST', '/faults', scope, fault),
    faults: (scope) => call('GET', '/faults', scope),
    removeFault: (id, scope) => call('DELETE', `/faults/${id}`, scope),
    clearFaults: (scope) => call('DELETE', '/faults', scope),
    assumptions: (scope) => call('GET', '/assumptions', scope),
    requests: (filter) => plane.json('GET', '/requests', { query: { ...filter, ...query(filter) } }),
    clearRequests: (scope) => call('DELETE', '/requests', scope),
    har: (filter) => plane.json('GET', '/requests.har', { query: { ...filter, ...query(filter) } }),
    waitForRequests: (filter) =>
      plane.json('POST', '/requests/wait', { body: { ...filter, ...query(filter) } }),
    findings: (scope) => call('GET', '/findings', scope),
    coverage: (scope) => call('GET', '/coverage', scope),
  }
}

function pathOf(login: string): string {
  return `/accounts/${segment('login', login)}`
}

/** Milliseconds as an ISO 8601 duration. */
function durationOf(ms: number): string {
  return `PT${Math.ceil(ms) / 1000}S`
}

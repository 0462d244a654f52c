import type { ClockReading, LoadResult, NewAccount, AccountState } from '../contract/shapes.ts'
import { UserError } from '../lib/UserError.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { onlyLogin, segment, type ControlPlane } from './ControlPlane.ts'
import { SimulatorError } from './SimulatorError.ts'
import type { AccountScope, SimulatorHandle, AccountControls } from './SimulatorHandle.ts'

/**
 * Creates the handle of a simulator from its control plane. It caches the accounts' passwords, because `authorization` is synchronous.
 * @param keepsPasswords false for callers without need of `authorization`: they ask the simulator for nothing else than they call
 * @throws SimulatorError; UserError if no simulator answers
 */
export async function createHandle(plane: ControlPlane, keepsPasswords = true): Promise<SimulatorHandle> {
  const passwords = new Map<string, string>()

  async function learn(): Promise<void> {
    if (!keepsPasswords) return
    const { accounts } = await plane.json<ScenarioDocument>('GET', '/scenario')
    passwords.clear()
    for (const [login, { password }] of Object.entries(accounts)) passwords.set(login, password)
  }

  async function state(login: string, method = 'GET', body?: unknown): Promise<AccountState> {
    const shown = await plane.json<AccountState>(method, pathOf(login), { body })
    passwords.set(login, shown.password)
    return shown
  }

  async function deleteAccount(login: string): Promise<void> {
    await plane.json('DELETE', pathOf(login))
    passwords.delete(login)
  }

  /** The controls of one account, or of all accounts with the login as an argument. */
  function controls(fixed?: string): AccountControls<[scope?: AccountScope]> {
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
        sleep: async (ms, scope) =>
          void (await call('POST', '/clock/advance', scope, { by: durationOf(ms) })),
        setRate: (rate, scope) => call('PUT', '/clock', scope, { rate }),
      },
      state: async (scope) => state(await login(scope)),
      patch: async (change, scope) => state(await login(scope), 'PATCH', change),
      reset: async (scope) => {
        const loaded = await call<LoadResult>('POST', '/reset', scope)
        const { account } = query(scope)
        await (account === undefined ? learn() : state(account))
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

  await learn()
  return {
    ...controls(),
    url: plane.url,
    authorization: (login) => authorizationOf(login, passwords),
    health: () => plane.json('GET', '/health'),

    scenarios: () => plane.json('GET', '/scenarios'),
    load: async (scenario) => {
      const loaded = await (typeof scenario === 'string'
        ? plane.json<LoadResult>('POST', `/scenarios/${segment('scenario', scenario)}/load`)
        : plane.json<LoadResult>('PUT', '/scenario', { body: scenario }))
      await learn()
      return loaded
    },
    scenario: () => plane.json('GET', '/scenario'),
    snapshots: () => plane.json('GET', '/snapshots'),
    snapshot: async () => (await plane.json<{ id: string }>('POST', '/snapshots')).id,
    restore: async (id) => {
      await plane.json('POST', `/snapshots/${segment('snapshot', id)}/restore`)
      await learn()
    },

    accounts: () => plane.json('GET', '/accounts'),
    createAccount: async (options = {}) => {
      const given = await plane.json<NewAccount>('POST', '/accounts', { body: options })
      passwords.set(given.login, given.password)
      const remove = () => deleteAccount(given.login)
      const dispose = () =>
        remove().catch((error: unknown) => {
          // The account was deleted before its scope ended. An error here would hide the test's own error.
          if (!(error instanceof SimulatorError && error.status === 404)) throw error
        })
      return { ...controls(given.login), ...given, delete: remove, [Symbol.asyncDispose]: dispose }
    },
    deleteAccount,
    account: controls,
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
      await state(rewound.account)
      return rewound
    },
    repro: (id, query) => plane.json('GET', `/requests/${id}/repro`, { query: { ...query } }),
    coverage: ((given?: string | AccountScope) =>
      typeof given === 'string'
        ? plane.text('GET', '/coverage', { query: { format: given } })
        : controls().coverage(given)) as SimulatorHandle['coverage'],
  }
}

function pathOf(login: string): string {
  return `/accounts/${segment('login', login)}`
}

function authorizationOf(login: string | undefined, passwords: ReadonlyMap<string, string>): string {
  const logins = [...passwords.keys()]
  const name = login ?? (logins.length === 1 ? logins[0] : undefined)
  const password = passwords.get(name ?? '')
  if (password !== undefined) return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
  const problem = name === undefined ? 'Name the account.' : `No account ${JSON.stringify(name)} is known.`
  const known = logins.slice(0, 20).join(', ') || 'none'
  throw new UserError(
    `${problem} Known: ${known}. Those that others created or changed are known after state({ account }).`,
    { code: 'ERR_PROXYSIM_ACCOUNT' },
  )
}

/** Milliseconds as an ISO 8601 duration. */
function durationOf(ms: number): string {
  return `PT${Math.ceil(ms) / 1000}S`
}

import type { Loaded, NewAccount } from '../admin/shapes.ts'
import type { ScenarioDocument } from '../scenario/ScenarioDocument.ts'
import { UserError } from '../lib/UserError.ts'
import type { ControlPlane } from './ControlPlane.ts'
import { accountPath, type Passwords } from './Passwords.ts'
import { SimulatorError } from './SimulatorError.ts'
import type { Account, SimulatorHandle } from './SimulatorHandle.ts'
import { onlyLogin, worldControls } from './worldControls.ts'

export function createHandle(plane: ControlPlane, passwords: Passwords): SimulatorHandle {
  const controls = worldControls(plane, passwords)
  const andLearn = async <T>(done: Promise<T>): Promise<T> => {
    const result = await done
    await passwords.learn()
    return result
  }

  async function createAccount(options: { scenario?: string; login?: string } = {}): Promise<Account> {
    const given = await plane.json<NewAccount>('POST', '/accounts', { body: options })
    passwords.set(given.login, given.password)
    const remove = () => deleteAccount(given.login)
    return {
      ...worldControls(plane, passwords, given.login),
      ...given,
      delete: remove,
      [Symbol.asyncDispose]: () =>
        remove().catch((error: unknown) => {
          // Deleted, or loaded away, before its scope ended: an error here would hide that of the test.
          if (!(error instanceof SimulatorError && error.status === 404)) throw error
        }),
    }
  }

  async function deleteAccount(login: string): Promise<void> {
    await plane.json('DELETE', accountPath(login))
    passwords.set(login, undefined)
  }

  return {
    ...controls,
    url: plane.url,
    authorization: (login) => authorizationOf(login, passwords),
    health: () => plane.json('GET', '/health'),

    scenarios: () => plane.json('GET', '/scenarios'),
    load: async (scenario) =>
      andLearn(
        typeof scenario === 'string'
          ? plane.json<Loaded>('POST', `/scenarios/${named('scenario', scenario)}/load`)
          : plane.json<Loaded>('PUT', '/scenario', { body: scenario }),
      ),
    scenario: () => plane.json<ScenarioDocument>('GET', '/scenario'),
    snapshot: async () => (await plane.json<{ id: string }>('POST', '/snapshots')).id,
    restore: async (id) => {
      await andLearn(plane.json('POST', `/snapshots/${named('snapshot', id)}/restore`))
    },

    accounts: () => plane.json('GET', '/accounts'),
    createAccount,
    deleteAccount,
    account: (login) => worldControls(plane, passwords, login),
    token: async (login) => {
      const path = accountPath(login ?? (await onlyLogin(plane)))
      return (await plane.json<{ token: string }>('POST', `${path}/tokens`)).token
    },

    rewind: async (id) => {
      const rewound = await plane.json<{ account: string; version: number }>('POST', `/requests/${id}/rewind`)
      await passwords.learn(rewound.account)
      return rewound
    },
    repro: (id) => plane.json('GET', `/requests/${id}/repro`),
    clearRequests: () => plane.json('DELETE', '/requests'),
    har: (filter) => plane.json('GET', '/requests.har', { query: { ...filter } }),
    coverage: ((format?: string) =>
      format === undefined
        ? plane.json('GET', '/coverage')
        : plane.text('GET', '/coverage', { query: { format } })) as SimulatorHandle['coverage'],
  }
}

/** A name as a segment of a path. @throws UserError if it is empty, as the path would be another one */
function named(kind: string, name: string): string {
  if (name === '') throw new UserError(`Name the ${kind}: it must not be empty.`)
  return encodeURIComponent(name)
}

function authorizationOf(login: string | undefined, passwords: Passwords): string {
  const logins = passwords.logins()
  const name = login ?? (logins.length === 1 ? logins[0] : undefined)
  const password = name === undefined ? undefined : passwords.of(name)
  if (password === undefined)
    throw new UserError(
      `${login === undefined ? 'Name the account.' : `No account ${JSON.stringify(login)} is known.`} Known: ${logins.slice(0, 20).join(', ') || 'none'}.${passwords.hint}`,
      { code: 'ERR_PROXYSIM_ACCOUNT' },
    )
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}

import { UserError } from '../UserError.ts'
import type { AccountSummary, ClockReading, Loaded, WorldView } from '../admin/shapes.ts'
import type { ControlPlane } from './ControlPlane.ts'
import { accountPath, type Passwords } from './Passwords.ts'
import type { AccountScope, WorldControls } from './SimulatorHandle.ts'

/** Controls that take the account with each call, or (`fixed`) are of one account. */
export function worldControls(
  plane: ControlPlane,
  passwords: Passwords,
  fixed?: string,
): WorldControls<[scope?: AccountScope]> {
  const query = (scope: AccountScope = {}) => ({ account: fixed ?? scope.account })
  const path = async (scope: AccountScope = {}) =>
    accountPath(fixed ?? scope.account ?? (await onlyLogin(plane)))
  const clock = (method: string, route: string, body: unknown, scope: AccountScope | undefined) =>
    plane.json<ClockReading>(method, route, { query: query(scope), ...(body !== undefined && { body }) })

  return {
    clock: {
      read: (scope) => clock('GET', '/clock', undefined, scope),
      now: async (scope) => new Date((await clock('GET', '/clock', undefined, scope)).now),
      set: (now, scope) =>
        clock('PUT', '/clock', { now: typeof now === 'string' ? now : now.toISOString() }, scope),
      freeze: (scope) => clock('PUT', '/clock', { frozen: true }, scope),
      resume: (scope) => clock('PUT', '/clock', { frozen: false }, scope),
      advance: (by, scope) => clock('POST', '/clock/advance', { by }, scope),
    },
    world: async (scope) => plane.json<WorldView>('GET', await path(scope)),
    patch: async (change, scope) => {
      const world = await plane.json<WorldView>('PATCH', await path(scope), { body: change })
      if (change.password !== undefined) await passwords.learn(query(scope).account)
      return world
    },
    reset: async (scope) => {
      const loaded = await plane.json<Loaded>('POST', '/reset', { query: query(scope) })
      await passwords.learn(query(scope).account)
      return loaded
    },
    fault: (fault, scope) => plane.json('POST', '/faults', { body: fault, query: query(scope) }),
    faults: (scope) => plane.json('GET', '/faults', { query: query(scope) }),
    clearFaults: (scope) => plane.json('DELETE', '/faults', { query: query(scope) }),
    assumptions: (scope) => plane.json('GET', '/assumptions', { query: query(scope) }),
    requests: (filter) => plane.json('GET', '/requests', { query: { ...filter, ...query(filter) } }),
    waitForRequests: (filter) =>
      plane.json('POST', '/requests/wait', { body: { ...filter, ...query(filter) } }),
    findings: (scope) => plane.json('GET', '/findings', { query: query(scope) }),
  }
}

/** The login if there is only one. @throws UserError if there are others, or none */
export async function onlyLogin(plane: ControlPlane): Promise<string> {
  const [first, ...others] = await plane.json<AccountSummary[]>('GET', '/accounts')
  if (first && others.length === 0) return first.login
  const logins = [first, ...others].flatMap((one) => one?.login ?? [])
  throw new UserError(
    `Name the account, as there ${logins.length ? `are several: ${logins.slice(0, 20).join(', ')}` : 'is none'}.`,
    { code: 'ERR_PROXYSIM_ACCOUNT' },
  )
}

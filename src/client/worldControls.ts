import { UserError } from '../lib/UserError.ts'
import type { AccountSummary, ClockReading, Loaded, WorldView } from '../admin/shapes.ts'
import type { ControlPlane } from './ControlPlane.ts'
import { accountPath, type Passwords } from './Passwords.ts'
import type { AccountScope, WorldControls } from './SimulatorHandle.ts'

/** World controls that take the account in each call, or always use the `fixed` one. */
export function worldControls(
  plane: ControlPlane,
  passwords: Passwords,
  fixed?: string,
): WorldControls<[scope?: AccountScope]> {
  const query = (scope: AccountScope = {}) => ({ account: fixed ?? scope.account })
  /** A world shows its password, which others may have changed. */
  const world = async (scope: AccountScope = {}, method: string, body?: unknown) => {
    const login = fixed ?? scope.account ?? (await onlyLogin(plane))
    const shown = await plane.json<WorldView>(method, accountPath(login), { body })
    passwords.set(login, shown.password)
    return shown
  }
  const clock = (method: string, route: string, body: unknown, scope: AccountScope | undefined) =>
    plane.json<ClockReading>(method, route, { query: query(scope), ...(body !== undefined && { body }) })

  return {
    clock: {
      read: (scope) => clock('GET', '/clock', undefined, scope),
      now: async (scope) => new Date((await clock('GET', '/clock', undefined, scope)).now),
      set: async (now, scope) => clock('PUT', '/clock', { now: instantOf(now) }, scope),
      freeze: (scope) => clock('PUT', '/clock', { frozen: true }, scope),
      setRate: (rate, scope) => clock('PUT', '/clock', { rate }, scope),
      resume: (scope) => clock('PUT', '/clock', { frozen: false }, scope),
      advance: (by, scope) => clock('POST', '/clock/advance', { by }, scope),
    },
    world: async (scope) => world(scope, 'GET'),
    patch: async (change, scope) => world(scope, 'PATCH', change),
    reset: async (scope) => {
      const loaded = await plane.json<Loaded>('POST', '/reset', { query: query(scope) })
      await passwords.learn(query(scope).account)
      return loaded
    },
    schedule: (entry, scope) => plane.json('POST', '/timeline', { body: entry, query: query(scope) }),
    timeline: (scope) => plane.json('GET', '/timeline', { query: query(scope) }),
    clearTimeline: (scope) => plane.json('DELETE', '/timeline', { query: query(scope) }),
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

/** @throws UserError if it is neither a text nor a valid date */
function instantOf(now: unknown): string {
  if (typeof now === 'string') return now
  if (now instanceof Date && !Number.isNaN(now.getTime())) return now.toISOString()
  throw new UserError(
    `The time must be a valid Date or a text such as 2026-01-15T12:00:00Z, not ${String(now)}.`,
  )
}

/** The login of the only account. @throws UserError if there are several, or none */
export async function onlyLogin(plane: ControlPlane): Promise<string> {
  const [first, ...others] = await plane.json<AccountSummary[]>('GET', '/accounts')
  if (first && others.length === 0) return first.login
  const logins = [first, ...others].flatMap((one) => one?.login ?? [])
  throw new UserError(
    logins.length
      ? `Name the account. There are several: ${logins.slice(0, 20).join(', ')}.`
      : 'There is no account.',
    { code: 'ERR_PROXYSIM_ACCOUNT' },
  )
}

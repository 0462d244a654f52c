import type { Simulation } from '../Simulation.ts'
import type { StepResult } from '../store/Store.ts'
import type { Instant } from '../world/time.ts'
import type { World } from '../world/World.ts'
import { listNames } from '../lib/text.ts'
import { AdminError, notFound } from './AdminError.ts'

/**
 * Runs a step on the current world of an account, and stores the change that it returns, if any. All changes by the control
 * plane are made here.
 * @param account optional if there is one account, or one besides those that were created at runtime
 * @throws AdminError 404 if there is no such account; StorageError if the change couldn't be saved
 */
export async function transactAccount<T>(
  simulation: Simulation,
  account: string | undefined,
  step: (world: World, real: Instant) => StepResult<T>,
): Promise<T> {
  const login = account ?? (await onlyLogin(simulation, true))
  const result = await simulation.store.transact<{ value: T } | { error: unknown } | undefined>(
    login,
    (world, real) => {
      if (!world) return { value: undefined }
      try {
        const { value, getValue, ...rest } = step(world, real)
        return {
          value: { value },
          ...rest,
          ...(getValue && { getValue: (after) => ({ value: getValue(after) }) }),
        }
      } catch (error) {
        // The world may be outdated. The store then runs the step again, so only the last refusal counts.
        return { value: { error } }
      }
    },
  )
  if (!result) throw await unknownAccount(simulation, login)
  if ('error' in result) throw result.error
  return result.value
}

/** Returns the world of a login. @throws AdminError 404 */
export async function findAccount(simulation: Simulation, login: string): Promise<World> {
  const world = await simulation.store.world(login)
  if (!world) throw await unknownAccount(simulation, login)
  return world
}

/** Creates a 404 that suggests the closest login, or lists the existing ones. */
export async function unknownAccount({ store }: Simulation, login: string): Promise<AdminError> {
  return notFound('account', login, await store.logins())
}

/** Returns the world of an account. @param account optional if there is only one account @throws AdminError */
export async function pickAccount(simulation: Simulation, account: string | undefined): Promise<World> {
  return findAccount(simulation, account ?? (await onlyLogin(simulation)))
}

/** @param ignoresCreated whether accounts that were created at runtime don't count if there are others */
async function onlyLogin({ store }: Simulation, ignoresCreated = false): Promise<string> {
  const logins = await store.logins()
  const isCreated = async (login: string) => (await store.world(login))?.origin.created === true
  const created = await Promise.all(ignoresCreated && logins.length > 1 ? logins.map(isCreated) : [])
  const others = logins.filter((_login, i) => created[i] !== true)
  const [only = logins[0]] = others
  if (only !== undefined && (logins.length === 1 || others.length === 1)) return only
  const none = 'No accounts. Load a scenario that has one.'
  if (only === undefined) throw new AdminError(400, none, { details: [{ path: 'accounts', message: none }] })
  const problem = `Several accounts exist (${listNames(logins)}). Choose one`
  throw new AdminError(400, `${problem} with ?account=LOGIN.`, {
    details: [{ path: '?account', message: `${problem}.` }],
  })
}

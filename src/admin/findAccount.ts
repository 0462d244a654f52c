import type { Simulation } from '../Simulation.ts'
import type { Outcome } from '../state/Store.ts'
import type { Instant } from '../world/time.ts'
import type { World } from '../world/World.ts'
import { AdminError, wrongInput } from './AdminError.ts'

export interface Account {
  login: string
  world: World
}

/**
 * Runs a step on the world of an account: every change of the control plane is made so, from the world as it is then.
 * @throws AdminError 404 if the account is gone; StorageError: nothing changed
 */
export async function changeAccount<T>(
  simulation: Simulation,
  login: string,
  step: (world: World, real: Instant) => Outcome<T>,
): Promise<T> {
  return simulation.store.transact(login, (world, real) =>
    step(world ?? findAccount(simulation, login).world, real),
  )
}

/** The account of that login. @throws AdminError 404 with the logins there are */
export function findAccount({ store }: Simulation, login: string): Account {
  const world = store.world(login)
  if (world) return { login, world }
  throw new AdminError(
    404,
    `There is no account ${JSON.stringify(login)}. There are: ${some(logins(store))}.`,
  )
}

/** The account of `?account=`, which may be left out where there is one. @throws AdminError */
export function pickAccount(simulation: Simulation, account: string | undefined): Account {
  if (account !== undefined) return findAccount(simulation, account)
  const all = logins(simulation.store)
  const [only] = all
  if (only !== undefined && all.length === 1) return findAccount(simulation, only)
  throw wrongInput('The account must be picked.', [
    {
      path: 'account',
      message:
        only === undefined ? 'there is no account' : `say which one with ?account=LOGIN (${some(all)})`,
    },
  ])
}

function logins({ state }: Simulation['store']): string[] {
  return Object.keys(state.accounts)
}

/** Many accounts may have been created; a message names the first of them. */
function some(names: readonly string[]): string {
  return names.length > 20
    ? `${names.slice(0, 20).join(', ')} and ${names.length - 20} more`
    : names.join(', ') || 'none'
}

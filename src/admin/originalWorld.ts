import { sharedWorld } from '../scenario/buildWorld.ts'
import type { Simulation } from '../Simulation.ts'
import { realTime } from '../world/time.ts'
import type { Origin, World } from '../world/World.ts'
import { invalidInput } from './AdminError.ts'

/**
 * Builds the initial world of an account: that of its login in the current scenario or, with `origin`, that of the first account
 * in the scenario that it was created from.
 * @throws AdminError 400 if the scenario has no account
 */
export async function originalWorld(
  { library, store }: Simulation,
  login: string,
  origin: Origin | undefined,
): Promise<World> {
  const isFromScenario = origin?.scenario !== undefined
  const named = origin?.scenario ?? null
  const { document } = named === null ? await store.scenario() : await library.load(named)
  const [first] = Object.keys(document.accounts)
  const model = !isFromScenario && Object.hasOwn(document.accounts, login) ? login : first
  if (model === undefined)
    throw invalidInput('The scenario has no account to start from.', [
      { path: ['scenario'], message: 'use one that has an account (GET /__admin/scenarios lists them)' },
    ])
  const world = await sharedWorld(document, model, realTime())
  if (!isFromScenario) return world
  const { token, password = world.password } = origin
  return { ...world, password, tokens: token === undefined ? world.tokens : [...world.tokens, token], origin }
}

import { sharedWorld } from '../scenario/buildWorld.ts'
import type { Simulation } from '../Simulation.ts'
import { realTime } from '../world/time.ts'
import type { Origin, World } from '../world/World.ts'
import { invalidInput } from './AdminError.ts'

/**
 * Builds the initial world of an account from the current scenario. An account that was created later gets the state of the first
 * account in the scenario that `origin` names.
 * @throws AdminError 400 if the scenario has no account
 */
export async function buildInitialWorld(
  { library, store }: Simulation,
  login: string,
  origin: Origin | undefined,
): Promise<World> {
  const isCreated = origin?.scenario !== undefined
  const scenarioName = origin?.scenario ?? null
  const { document } = scenarioName === null ? await store.scenario() : await library.load(scenarioName)
  const [first] = Object.keys(document.accounts)
  const source = !isCreated && Object.hasOwn(document.accounts, login) ? login : first
  if (source === undefined)
    throw invalidInput('The scenario has no account to start from.', [
      { path: ['scenario'], message: 'use one that has an account (GET /__admin/scenarios lists them)' },
    ])
  const world = await sharedWorld(document, source, realTime())
  if (!isCreated) return world
  const { token, password = world.password } = origin
  return { ...world, password, tokens: token === undefined ? world.tokens : [...world.tokens, token], origin }
}

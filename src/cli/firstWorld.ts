import type { Contract } from '../contract/Contract.ts'
import { localState } from '../Simulation.ts'
import { UserError } from '../UserError.ts'
import type { World } from '../world/World.ts'
import { startOptions, type StartFlags } from './startFlags.ts'

/** The contract, and the first account as every run finds it. @throws UserError if there is none */
export async function firstWorld(flags: StartFlags): Promise<{ contract: Contract; world: World }> {
  const { startServer } = await import('../server.ts')
  const { simulation, close } = await startServer(startOptions(flags))
  await close()
  const [world] = localState(simulation).accounts.values()
  if (!world) throw new UserError('The scenario has no account.')
  return { contract: simulation.contract, world }
}

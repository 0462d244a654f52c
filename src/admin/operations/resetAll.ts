import type { AdminOperation } from '../AdminOperation.ts'
import { findAccount } from '../findAccount.ts'
import { loaded } from '../loaded.ts'
import { originalWorld } from '../originalWorld.ts'

export const resetAll: AdminOperation<'resetAll'> = async ({ query }, simulation) => {
  if (query.account === undefined) await simulation.reset()
  else {
    const { login, world } = await findAccount(simulation, query.account)
    await simulation.store.replaceAccount(login, await originalWorld(simulation, login, world.origin))
  }
  return loaded(simulation)
}

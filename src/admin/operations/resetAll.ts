import type { AdminOperation } from '../AdminOperation.ts'
import { findAccount } from '../findAccount.ts'
import { loaded } from '../loaded.ts'
import { originalWorld } from '../originalWorld.ts'

export const resetAll: AdminOperation<'resetAll'> = async ({ query }, simulation) => {
  if (query.account === undefined) await simulation.reset()
  else {
    const { account } = query
    const { origin } = await findAccount(simulation, account)
    await simulation.store.replaceAccount(account, await originalWorld(simulation, account, origin))
  }
  return loaded(simulation)
}

import type { AdminOperation } from '../AdminOperation.ts'
import { changeWorld } from '../changeWorld.ts'
import { pickAccount } from '../findAccount.ts'

export const clearFaults: AdminOperation<'clearFaults'> = async ({ query }, simulation) => {
  await changeWorld(simulation, pickAccount(simulation, query.account), { faults: [] })
  return { status: 204 }
}

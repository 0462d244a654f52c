import type { AdminOperation } from '../AdminOperation.ts'
import { armedFault } from '../armedFault.ts'
import { pickAccount } from '../findAccount.ts'

export const listFaults: AdminOperation<'listFaults'> = async ({ query }, simulation) => ({
  status: 200,
  body: (await pickAccount(simulation, query.account)).faults.map(armedFault),
})

import type { AdminOperation } from '../AdminOperation.ts'
import { changeAccount } from '../findAccount.ts'

export const clearFaults: AdminOperation<'clearFaults'> = async ({ query }, simulation) => {
  return changeAccount(simulation, query.account, () => ({ value: { status: 204 }, change: { faults: [] } }))
}

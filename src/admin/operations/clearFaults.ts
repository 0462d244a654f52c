import type { AdminOperation } from '../AdminOperation.ts'
import { changeAccount, pickAccount } from '../findAccount.ts'

export const clearFaults: AdminOperation<'clearFaults'> = async ({ query }, simulation) => {
  const { login } = await pickAccount(simulation, query.account)
  return changeAccount(simulation, login, () => ({ value: { status: 204 }, change: { faults: [] } }))
}

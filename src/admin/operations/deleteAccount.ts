import type { AdminOperation } from '../AdminOperation.ts'
import { findAccount } from '../findAccount.ts'

export const deleteAccount: AdminOperation<'deleteAccount'> = async ({ path }, simulation) => {
  const { login } = findAccount(simulation, path.login)
  simulation.removeAccount(login)
  await simulation.store.flushed()
  return { status: 204 }
}

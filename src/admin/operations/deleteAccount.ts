import type { AdminOperation } from '../AdminOperation.ts'
import { findAccount } from '../findAccount.ts'

export const deleteAccount: AdminOperation<'deleteAccount'> = async ({ path }, simulation) => {
  await findAccount(simulation, path.login)
  await simulation.store.remove(path.login)
  return { status: 204 }
}

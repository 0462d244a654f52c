import type { AdminOperation } from '../AdminOperation.ts'
import { findAccount } from '../findAccount.ts'

export const deleteAccount: AdminOperation<'deleteAccount'> = async ({ path }, simulation) => {
  await simulation.store.remove((await findAccount(simulation, path.login)).login)
  return { status: 204 }
}

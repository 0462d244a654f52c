import type { AdminOperation } from '../AdminOperation.ts'
import { unknownAccount } from '../findAccount.ts'

export const deleteAccount: AdminOperation<'deleteAccount'> = async ({ path }, simulation) => {
  if (!(await simulation.store.remove(path.login))) throw await unknownAccount(simulation, path.login)
  return { status: 204 }
}

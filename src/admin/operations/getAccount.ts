import { realTime } from '../../state/clock.ts'
import { exportedAccount } from '../../scenario/exportScenario.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { findAccount } from '../findAccount.ts'

export const getAccount: AdminOperation<'getAccount'> = async ({ path: { login } }, simulation) => {
  const { world } = await findAccount(simulation, login)
  return { status: 200, pieces: exportedAccount(world, realTime()) }
}

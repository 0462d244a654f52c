import { realTime } from '../../state/clock.ts'
import { exportedAccount } from '../../scenario/exportScenario.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { findAccount } from '../findAccount.ts'

export const getAccount: AdminOperation<'getAccount'> = ({ path: { login } }, simulation) => {
  const { world } = findAccount(simulation, login)
  return { status: 200, pieces: exportedAccount(world, realTime()) }
}

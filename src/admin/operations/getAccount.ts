import { realTime } from '../../world/clock.ts'
import { exportedAccount } from '../../scenario/exportScenario.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { findAccount } from '../findAccount.ts'

export const getAccount: AdminOperation<'getAccount'> = async ({ path: { login } }, simulation) => ({
  status: 200,
  pieces: exportedAccount(await findAccount(simulation, login), realTime()),
})

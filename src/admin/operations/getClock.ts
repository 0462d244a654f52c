import { readClock, realTime } from '../../world/clock.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { pickAccount } from '../findAccount.ts'

export const getClock: AdminOperation<'getClock'> = async ({ query }, simulation) => ({
  status: 200,
  body: readClock((await pickAccount(simulation, query.account)).clock, realTime()),
})

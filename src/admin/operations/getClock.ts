import { readClock, realTime } from '../../state/clock.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { pickAccount } from '../findAccount.ts'

export const getClock: AdminOperation<'getClock'> = ({ query }, simulation) => ({
  status: 200,
  body: readClock(pickAccount(simulation, query.account).world.clock, realTime()),
})

import { addDuration, timeOf } from '../../world/clock.ts'
import { lastDate } from '../../world/time.ts'
import { wrongInput } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { changeAccount } from '../findAccount.ts'
import { setTime } from '../setTime.ts'

export const advanceClock: AdminOperation<'advanceClock'> = async ({ query, body: { by } }, simulation) => {
  const reading = await changeAccount(simulation, query.account, (world, real) => {
    const now = addDuration(timeOf(world.clock, real), by)
    if (now === undefined)
      throw wrongInput('The clock cannot be advanced.', [
        {
          path: 'by',
          message: `${JSON.stringify(by)} is not an ISO 8601 duration such as PT1H, P1D or P1M that ends by ${lastDate}`,
        },
      ])
    return setTime(world, { now, frozen: 'frozen' in world.clock, real })
  })
  return { status: 200, body: reading }
}

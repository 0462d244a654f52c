import { forward, parseInstant, timeOf } from '../../world/clock.ts'
import { instantOf, lastDate } from '../../world/time.ts'
import { wrongInput } from '../AdminError.ts'
import type { AdminOperation } from '../AdminOperation.ts'
import { changeAccount } from '../findAccount.ts'
import { setTime } from '../setTime.ts'

export const setClock: AdminOperation<'setClock'> = async ({ query, body }, simulation) => {
  const reading = await changeAccount(simulation, query.account, (world, real) => {
    const { clock } = world
    const present = timeOf(clock, real)
    const wanted = body.now === undefined ? present : parseInstant(body.now)
    if (wanted === undefined)
      throw wrong(
        `${JSON.stringify(body.now)} is not an ISO 8601 instant with a time zone, such as 2026-01-15T12:00:00Z, from 1970 to ${lastDate}`,
      )
    const now = forward(clock, wanted, real)
    if (now === undefined)
      throw wrong(
        `the clock never goes back: it shows ${instantOf(present)}, ${body.now} is before that; to start earlier, load a scenario with \`clock: ${body.now}\``,
      )
    return setTime(world, { now, frozen: body.frozen ?? 'frozen' in clock, real })
  })
  return { status: 200, body: reading }
}

function wrong(message: string): Error {
  return wrongInput('The clock cannot be set.', [{ path: 'now', message }])
}

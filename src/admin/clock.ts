import { addDuration, clockAt, forward, parseInstant, readClock, realTime, timeOf } from '../world/clock.ts'
import type { Outcome } from '../store/Store.ts'
import { diffPatch } from '../world/mergePatch.ts'
import { expireSessions } from '../world/sticky.ts'
import { instantOf, lastDate, type Instant } from '../world/time.ts'
import type { ClockSetting, World } from '../world/World.ts'
import type { PatchOf, WorldChange } from '../world/WorldChange.ts'
import { wrongInput } from './AdminError.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { changeAccount, pickAccount } from './findAccount.ts'
import type { ClockReading } from './shapes.ts'

export const getClock: AdminOperation<'getClock'> = async ({ query }, simulation) => ({
  status: 200,
  body: readClock((await pickAccount(simulation, query.account)).clock, realTime()),
})

export const setClock: AdminOperation<'setClock'> = async ({ query, body }, simulation) => {
  const reading = await changeAccount(simulation, query.account, (world, real) => {
    const { clock } = world
    const present = timeOf(clock, real)
    const wanted = body.now === undefined ? present : parseInstant(body.now)
    if (wanted === undefined)
      throw wrongTime(
        `${JSON.stringify(body.now)} is not an ISO 8601 instant with a time zone, such as 2026-01-15T12:00:00Z, from 1970 to ${lastDate}`,
      )
    const now = forward(clock, wanted, real)
    if (now === undefined)
      throw wrongTime(
        `the clock never goes back: it shows ${instantOf(present)}, ${body.now} is before that; to start earlier, load a scenario with \`clock: ${body.now}\``,
      )
    return setTime(world, { now, frozen: body.frozen ?? 'frozen' in clock, real })
  })
  return { status: 200, body: reading }
}

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

function wrongTime(message: string): Error {
  return wrongInput('The clock cannot be set.', [{ path: 'now', message }])
}

/** Sets a world's clock, and applies everything that is due by then. */
function setTime(
  world: World,
  { now, frozen, real }: { now: Instant; frozen: boolean; real: Instant },
): Outcome<ClockReading> {
  const clock = clockAt(now, frozen, real)
  const turned = diffPatch(world.clock, clock) as PatchOf<ClockSetting> | undefined
  const services = expireSessions(world, now)
  const change: WorldChange = { ...(turned && { clock: turned }), ...(services && { services }) }
  return { value: readClock(clock, real), ...(Object.keys(change).length > 0 && { change }) }
}

import { countDue, mostAtOnce } from '../timeline/settle.ts'
import {
  addDuration,
  clockAt,
  type ClockSetting,
  forward,
  type Instant,
  instantOf,
  lastDate,
  parseInstant,
  readClock,
  realTime,
  timeOf,
} from '../world/time.ts'
import type { Outcome } from '../store/Store.ts'
import { diffPatch } from '../world/mergePatch.ts'
import type { World, WorldChange } from '../world/World.ts'
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
        'now',
        `${JSON.stringify(body.now)} is not an ISO 8601 instant with a time zone, such as 2026-01-15T12:00:00Z, from 1970 to ${lastDate}`,
      )
    const now = forward(clock, wanted, real)
    if (now === undefined)
      throw wrongTime(
        'now',
        `the clock never goes back: it shows ${instantOf(present)}, ${body.now} is before that; to start earlier, load a scenario with \`clock: ${body.now}\``,
      )
    const rate = body.rate ?? clock.rate ?? 1
    if (!(rate > 0 && rate <= 100_000))
      throw wrongTime('rate', `${rate} is not a rate: more than 0, at most 100000`)
    const isFrozen = body.frozen ?? 'frozen' in clock
    return atTime(world, now, clockAt(now, isFrozen, real, rate), { field: 'now', real })
  })
  return { status: 200, body: reading }
}

export const advanceClock: AdminOperation<'advanceClock'> = async ({ query, body: { by } }, simulation) => {
  const reading = await changeAccount(simulation, query.account, (world, real) => {
    const { clock } = world
    const now = addDuration(timeOf(clock, real), by)
    if (now === undefined)
      throw wrongTime(
        'by',
        `${JSON.stringify(by)} is not an ISO 8601 duration such as PT1H, P1D or P1M that ends by ${lastDate}`,
      )
    return atTime(world, now, clockAt(now, 'frozen' in clock, real, clock.rate), { field: 'by', real })
  })
  return { status: 200, body: reading }
}

function wrongTime(path: string, message: string): Error {
  return wrongInput('The clock cannot be set.', [{ path, message }])
}

/**
 * Sets a world's clock; the store then makes happen what is due by that time.
 * @param field which one of the request leads there
 */
function atTime(
  world: World,
  now: Instant,
  clock: ClockSetting,
  { field, real }: { field: string; real: Instant },
): Outcome<ClockReading> {
  if (countDue(world, now) > mostAtOnce)
    throw wrongTime(
      field,
      `more than ${mostAtOnce} changes are due by ${instantOf(now)}: advance in smaller steps`,
    )
  const change = diffPatch({ clock: world.clock }, { clock }) as WorldChange | undefined
  return { value: readClock(clock, real), change }
}

import type { Simulation } from '../Simulation.ts'
import { applyPatch } from '../world/change.ts'
import {
  addDuration,
  type Instant,
  toIsoString,
  isDuration,
  lastDate,
  readClock,
  getAccountTime,
  realTime,
} from '../world/time.ts'
import type { World } from '../world/World.ts'
import { invalidInput } from './AdminError.ts'
import type { AdminOperation } from './AdminOperation.ts'
import { countUnrenewed } from '../service/index.ts'
import { pickAccount, transactAccount } from './findAccount.ts'
import type { ClockReading } from '../contract/shapes.ts'
import { loadChecks } from '../scenario/onDemand.ts'
import { isoDuration } from '../lib/duration.ts'
import { quoted } from '../lib/text.ts'

export const getClock: AdminOperation<'getClock'> = async ({ query }, simulation) =>
  readClock((await pickAccount(simulation, query.account)).clock, realTime())

export const setClock: AdminOperation<'setClock'> = async ({ query, body }, simulation) => {
  const { now, frozen, rate } = await moveClock(simulation, query.account, 'now', () => body)
  return { now, frozen, rate }
}

export const advanceClock: AdminOperation<'advanceClock'> = ({ query, body }, simulation) => {
  const by = isoDuration(body.by)
  const advance = ({ clock }: World, real: Instant): Partial<ClockReading> => {
    const now = addDuration(getAccountTime(clock, real), by)
    if (now === undefined)
      rejectSetting(
        'by',
        isDuration(by)
          ? `${by} is too long. The last possible date is ${lastDate}`
          : `${quoted(by)} is not a duration. Use ISO 8601, for example PT1H`,
      )
    return { now: toIsoString(now) }
  }
  return moveClock(simulation, query.account, 'by', advance)
}

/**
 * Sets an account's clock by a patch. The store then applies the timeline entries that are due.
 * @param field the request's field, for error messages
 */
async function moveClock(
  simulation: Simulation,
  account: string | undefined,
  field: string,
  getSetting: (world: World, real: Instant) => Partial<ClockReading>,
): Promise<ClockReading & { changes: number; unrenewed: number }> {
  const { patchWorld } = await loadChecks()
  return transactAccount(simulation, account, (world, real) => {
    const patch = { clock: getSetting(world, real) }
    const { change, issues } = patchWorld(world, patch, simulation.contract, real)
    for (const { path, message } of issues) rejectSetting(path.slice(1).join('.') || field, message)
    const { clock } = change ? applyPatch(world, change) : world
    const [from, to] = [getAccountTime(world.clock, real), getAccountTime(clock, real)]
    const getValue = (after = world) => {
      const unrenewed = after.limits.renewal ? 0 : countUnrenewed(after, from, to)
      const changes = (after.history.lastId ?? 0) - (world.history.lastId ?? 0)
      return { ...readClock(clock, real), changes, unrenewed }
    }
    return { value: getValue(), change, getValue }
  })
}

function rejectSetting(field: string, message: string): never {
  throw invalidInput('The clock cannot be set.', [{ path: [field], message }])
}

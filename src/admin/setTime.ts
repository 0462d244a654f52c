import type { Simulation } from '../Simulation.ts'
import { clockAt, readClock, type ClockReading } from '../state/clock.ts'
import { diffPatch } from '../world/mergePatch.ts'
import { expireSessions } from '../world/sticky.ts'
import type { Instant } from '../world/time.ts'
import type { ClockSetting } from '../world/World.ts'
import type { PatchOf, WorldChange } from '../world/WorldChange.ts'
import { changeWorld } from './changeWorld.ts'
import type { Account } from './findAccount.ts'

/** Sets an account's clock; what falls due by then has happened, and lasts, when it resolves. @throws StorageError */
export async function setTime(
  simulation: Simulation,
  account: Account,
  { now, frozen, real }: { now: Instant; frozen: boolean; real: Instant },
): Promise<ClockReading> {
  const { world } = account
  const clock = clockAt(now, frozen, real)
  const turned = diffPatch(world.clock, clock) as PatchOf<ClockSetting> | undefined
  const services = expireSessions(world, now)
  const change: WorldChange = { ...(turned && { clock: turned }), ...(services && { services }) }
  if (Object.keys(change).length) await changeWorld(simulation, account, change)
  return readClock(clock, real)
}

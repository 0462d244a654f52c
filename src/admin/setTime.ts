import { clockAt, readClock } from '../world/clock.ts'
import type { Outcome } from '../state/Store.ts'
import { diffPatch } from '../world/mergePatch.ts'
import { expireSessions } from '../world/sticky.ts'
import type { Instant } from '../world/time.ts'
import type { ClockSetting, World } from '../world/World.ts'
import type { PatchOf, WorldChange } from '../world/WorldChange.ts'
import type { ClockReading } from './shapes.ts'

/** Sets a world's clock, and applies everything that is due by then. */
export function setTime(
  world: World,
  { now, frozen, real }: { now: Instant; frozen: boolean; real: Instant },
): Outcome<ClockReading> {
  const clock = clockAt(now, frozen, real)
  const turned = diffPatch(world.clock, clock) as PatchOf<ClockSetting> | undefined
  const services = expireSessions(world, now)
  const change: WorldChange = { ...(turned && { clock: turned }), ...(services && { services }) }
  return { value: readClock(clock, real), ...(Object.keys(change).length > 0 && { change }) }
}

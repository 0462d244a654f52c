import { findService, isActiveRotating } from '../services.ts'
import { liveSessions } from '../sticky.ts'
import { toIsoString } from '../../world/time.ts'
import type { Operation, Run } from './Operation.ts'

/** Sets the TTL (minutes). For live sessions, it counts from now. */
const run: Run<'changeStickyTtl'> = (input, world, now) => {
  const { id, ttl } = input.requirePath()
  const service = findService(world, id)
  // "The response is empty": zero bytes or an empty array, assumption `inactiveTtlBody`.
  if (!isActiveRotating(service))
    return world.assumptions.inactiveTtlBody === 'array'
      ? { body: [] }
      : { body: '', contentType: 'text/plain' }
  const since = toIsoString(now)
  const sessions = liveSessions(service.sticky, now).map((session) => ({ ...session, since }))
  return {
    body: { success: 'TTL changed successfully' },
    change: { services: { [id]: { sticky: { ttl: Number(ttl), sessions } } } },
  }
}

export const changeStickyTtl: Operation<'changeStickyTtl'> = {
  run,
  dependsOnTime: false,
}

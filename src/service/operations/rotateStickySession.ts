import { increment } from '../../world/numbers.ts'
import { refuseWith, type Refuse } from '../refuse.ts'
import { findRotatingService, requireActive } from '../services.ts'
import { liveSessions, sessionAddress, sessionRecord, type StickySession } from '../sticky.ts'
import { toIsoString } from '../../world/time.ts'
import type { Operation, Run } from './Operation.ts'

const refuse: Refuse<'rotateStickySession'> = refuseWith

/** Assigns another address to a live session, and restarts its TTL. */
const run: Run<'rotateStickySession'> = (input, world, now) => {
  const { id, ...requested } = input.requirePath()
  const service = findRotatingService(world, id)
  requireActive(service, id)
  const { ttl } = service.sticky
  const live = liveSessions(service.sticky, now)
  const old =
    live.find(({ server, session }) => server === requested.server && session === requested.session) ??
    refuse(
      'unprocessable',
      `service ${id} has no live session ${requested.session} on server ${requested.server} (${live.length} live)`,
    )
  const rotated = (session: StickySession): StickySession => {
    const next = { ...session, since: toIsoString(now), rotations: increment(session.rotations) }
    return { ...next, ip: sessionAddress(world.seed, id, next) }
  }
  let renewed = rotated(old)
  // An explicit address can equal the next derived one, but not the one after it.
  if (renewed.ip === old.ip) renewed = rotated(renewed)
  const sessions = live.map((session) => (session === old ? renewed : session))
  return {
    body: sessionRecord(renewed, ttl, world.assumptions),
    change: { services: { [id]: { sticky: { sessions } } } },
  }
}

export const rotateStickySession: Operation<'rotateStickySession'> = {
  run,
  dependsOnTime: true,
}

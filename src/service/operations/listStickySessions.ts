import { refuseWith, type Refuse } from '../refuse.ts'
import { isActiveRotating } from '../services.ts'
import { liveSessions, sessionRecord } from '../sticky.ts'
import type { Operation } from './Operation.ts'

const refuse: Refuse<'listStickySessions'> = refuseWith

export const listStickySessions: Operation<'listStickySessions'> = (input, world, now) => {
  const { id } = input.requirePath()
  const service = world.services.get(id) ?? refuse('upstream-error', `there is no service ${id}`)
  if (!isActiveRotating(service)) return { body: [] }
  const { sticky } = service
  return {
    body: liveSessions(sticky, now).map((session) => sessionRecord(session, sticky.ttl, world.assumptions)),
  }
}

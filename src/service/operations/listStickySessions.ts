import { refuseWith, type Refuse } from '../refuse.ts'
import { isActiveRotating } from '../services.ts'
import { liveSessions, sessionRecord } from '../sticky.ts'
import type { Operation, Run } from './Operation.ts'

const refuse: Refuse<'listStickySessions'> = refuseWith

const run: Run<'listStickySessions'> = (input, world, now) => {
  const { id } = input.requirePath()
  const service = world.services.get(id) ?? refuse('upstream-error', `there is no service ${id}`)
  if (!isActiveRotating(service)) return { body: [] }
  const { sticky } = service
  return {
    body: liveSessions(sticky, now).map((session) => sessionRecord(session, sticky.ttl, world.assumptions)),
  }
}

export const listStickySessions: Operation<'listStickySessions'> = {
  run,
  dependsOnTime: true,
}

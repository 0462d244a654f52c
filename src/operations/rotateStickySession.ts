import { findRotating, requireActive } from '../world/services.ts'
import { rotate } from '../world/sticky.ts'
import type { Operation } from './Operation.ts'

export const rotateStickySession: Operation<'rotateStickySession'> = (input, world, now) => {
  const { id, server, session } = input.path()
  const service = findRotating(world, id)
  requireActive(service, id)
  const { rotated, change } = rotate(world, id, service, { server, session }, now)
  return { body: rotated, change: { services: { [id]: change } } }
}

import { findService, isActiveRotating } from '../services.ts'
import type { Operation } from './Operation.ts'

export const resetStickySessions: Operation<'resetStickySessions'> = (input, world) => {
  const { id } = input.requirePath()
  if (!isActiveRotating(findService(world, id))) return { body: [] }
  return {
    body: { success: 'Sticky sessions reset successfully' },
    change: { services: { [id]: { sticky: { sessions: [] } } } },
  }
}

import { findService, isActiveRotating } from '../services.ts'
import type { Operation, Run } from './Operation.ts'

const run: Run<'resetStickySessions'> = (input, world) => {
  const { id } = input.requirePath()
  if (!isActiveRotating(findService(world, id))) return { body: [] }
  return {
    body: { success: 'Sticky sessions reset successfully' },
    change: { services: { [id]: { sticky: { sessions: [] } } } },
  }
}

export const resetStickySessions: Operation<'resetStickySessions'> = {
  run,
  dependsOnTime: false,
}

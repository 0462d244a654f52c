import { serviceFacts, isEmptyBody, activeRotatingService } from '../facts.ts'
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
  impliesChange: true,
  shows: ({ id, body }) => {
    if (isEmptyBody(body)) return { shownFacts: serviceFacts(id) }
    const path = `services/${id}/sticky/sessions`
    return {
      shownFacts: serviceFacts(id, activeRotatingService),
      newFacts: new Map([[path, []]]),
      changedPaths: [path],
    }
  },
}

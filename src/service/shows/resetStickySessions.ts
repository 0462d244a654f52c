import { activeRotatingService, isEmptyBody, serviceFacts, type Shows } from './facts.ts'

export const resetStickySessions: Shows = {
  success({ id, body }) {
    if (isEmptyBody(body)) return { shownFacts: serviceFacts(id) }
    const path = `services/${id}/sticky/sessions`
    return {
      shownFacts: serviceFacts(id, activeRotatingService),
      newFacts: new Map([[path, []]]),
      changedPaths: [path],
    }
  },
}

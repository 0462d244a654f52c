import { activeRotatingService, isEmptyBody, recordFacts, serviceFacts, type Shows } from './facts.ts'

export const changeStickyTtl: Shows = {
  success: ({ id, path: { ttl }, body }) =>
    isEmptyBody(body)
      ? { shownFacts: serviceFacts(id) }
      : {
          shownFacts: serviceFacts(id, activeRotatingService),
          newFacts: recordFacts('services', id, { 'sticky/ttl': Number(ttl) }),
          changedPaths: [`services/${id}/sticky/ttl`],
        },
}

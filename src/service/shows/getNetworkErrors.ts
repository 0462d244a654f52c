import { serviceFacts, type Shows } from './facts.ts'

export const getNetworkErrors: Shows = {
  success: ({ id, body }) => ({ shownFacts: serviceFacts(id, { client: true, errors: body }) }),
}

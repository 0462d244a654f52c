import { serviceFacts, type Shows } from './facts.ts'

export const getNetworkInactive: Shows = {
  success: ({ id, body }) => ({ shownFacts: serviceFacts(id, { client: true, inactive: body }) }),
}

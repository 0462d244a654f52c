import type { Shows } from './facts.ts'

export const getCredit: Shows = {
  success: ({ body: { credit } }) => ({ shownFacts: new Map([['credit', credit]]) }),
}

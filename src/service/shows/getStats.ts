import { type Fields, rotatingFields, serviceFacts, type Shows } from './facts.ts'

export const getStats: Shows = {
  success({ id, body }, { assumptions }) {
    const stats = Object.fromEntries((body as Fields[]).map(({ date, rate }) => [date, rate]))
    return { shownFacts: serviceFacts(id, { ...rotatingFields(assumptions, body), 'usage/stats': stats }) }
  },
}

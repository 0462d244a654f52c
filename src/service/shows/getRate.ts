import { type Fields, rotatingFields, serviceFacts, type Shows } from './facts.ts'

export const getRate: Shows = {
  success({ id, body }, { assumptions }) {
    const [first] = body as Fields[]
    const usage = first
      ? { 'usage/limit': first['limit'], 'usage/rate': first['rate'] }
      : { 'usage/limit': 'none' }
    return { shownFacts: serviceFacts(id, { ...rotatingFields(assumptions, body), ...usage }) }
  },
}

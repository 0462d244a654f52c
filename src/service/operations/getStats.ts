import { serviceFacts, rotatingFields, type Fields } from '../facts.ts'
import { findUsage } from '../services.ts'
import type { Operation, Run } from './Operation.ts'

const run: Run<'getStats'> = (input, world) => {
  const { stats = {} } = findUsage(world, input.requirePath().id) ?? {}
  const days = Object.entries(stats).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { body: days.map(([date, rate]) => ({ date, rate })) }
}

export const getStats: Operation<'getStats'> = {
  run,
  dependsOnTime: false,
  shows: ({ id, body }, { assumptions }) => {
    const all = body as Fields[]
    const days = all.filter(({ date, rate }) => date !== undefined && rate !== undefined)
    const stats = Object.fromEntries(days.map(({ date, rate }) => [date, rate]))
    const others = days.length < all.length && { 'usage/stats/*': undefined }
    const usage = { 'usage/stats': stats, ...others }
    return { shownFacts: serviceFacts(id, { ...rotatingFields(assumptions, body), ...usage }) }
  },
}

import { findUsage } from '../services.ts'
import type { Operation } from './Operation.ts'

export const getStats: Operation<'getStats'> = (input, world) => {
  const { stats = {} } = findUsage(world, input.requirePath().id) ?? {}
  const days = Object.entries(stats).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { body: days.map(([date, rate]) => ({ date, rate })) }
}

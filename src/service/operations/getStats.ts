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
}

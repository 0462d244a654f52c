import { findUsage } from '../services.ts'
import type { Operation } from './Operation.ts'

export const getRate: Operation<'getRate'> = (input, world) => {
  const { limit = 'none', rate, stats = {} } = findUsage(world, input.requirePath().id) ?? {}
  if (limit === 'none') return { body: [] }
  // Sorted, so that rounding doesn't depend on the order of the days.
  const sum = Object.values(stats)
    .toSorted((a, b) => a - b)
    .reduce((total, used) => total + used, 0)
  return { body: [{ limit, rate: rate ?? Number(sum.toPrecision(15)) }] } // so that 0.1 + 0.2 is 0.3
}

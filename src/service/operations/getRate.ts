import { findUsage } from '../services.ts'
import type { Operation, Run } from './Operation.ts'

const run: Run<'getRate'> = (input, world) => {
  const { limit = 'none', rate, stats = {} } = findUsage(world, input.requirePath().id) ?? {}
  if (limit === 'none') return { body: [] }
  // Sorted, so that rounding doesn't depend on the order of the days.
  const sum = Object.values(stats)
    .toSorted((a, b) => a - b)
    .reduce((total, used) => total + used, 0)
  return { body: [{ limit, rate: rate ?? Number(sum.toPrecision(15)) }] } // so that 0.1 + 0.2 is 0.3
}

export const getRate: Operation<'getRate'> = {
  run,
  dependsOnTime: false,
}

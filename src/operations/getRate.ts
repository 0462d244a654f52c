import { findRotating } from '../world/services.ts'
import type { Operation } from './Operation.ts'

export const getRate: Operation<'getRate'> = (input, world) => {
  const { id } = input.path()
  const { limit, stats } = findRotating(world, id).usage
  // Sorted, so that rounding doesn't depend on the order of the days.
  const rate = Object.values(stats)
    .toSorted((a, b) => a - b)
    .reduce((sum, used) => sum + used, 0)
  return { body: [{ limit, rate }] }
}

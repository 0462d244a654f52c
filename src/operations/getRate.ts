import { findRotating } from '../world/services.ts'
import type { Operation } from './Operation.ts'

export const getRate: Operation<'getRate'> = (input, world) => {
  const { id } = input.path()
  const { limit, stats } = findRotating(world, id).usage
  // In one order, whatever order the days were named in: a sum of fractions depends on it.
  const rate = Object.values(stats)
    .toSorted((a, b) => a - b)
    .reduce((sum, used) => sum + used, 0)
  return { body: [{ limit, rate }] }
}

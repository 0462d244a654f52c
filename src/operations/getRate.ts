import { findRotating } from '../world/services.ts'
import type { Operation } from './Operation.ts'

export const getRate: Operation<'getRate'> = (input, world) => {
  const { id } = input.path()
  const { limit, stats } = findRotating(world, id).usage
  const sum = Object.values(stats).reduce((total, used) => total + used, 0)
  // A double is exact to 15 digits: 0.1 and 0.2 are 0.3, in whatever order they are added.
  return { body: [{ limit, rate: Number(sum.toPrecision(15)) }] }
}

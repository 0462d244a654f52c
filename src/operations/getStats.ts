import { findUsage } from '../world/services.ts'
import type { Operation } from './Operation.ts'

export const getStats: Operation<'getStats'> = (input, world) => {
  const { id } = input.path()
  const days = Object.entries(findUsage(world, id)?.stats ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { body: days.map(([date, rate]) => ({ date, rate })) }
}

import { findService, requireType } from '../world/services.ts'
import type { Operation } from './Operation.ts'

export const getStats: Operation<'getStats'> = (input, world) => {
  const { id } = input.path()
  const service = findService(world, id)
  requireType(service, id, 'ppr')
  const days = Object.entries(service.usage?.stats ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { body: days.map(([date, rate]) => ({ date, rate })) }
}

import { findService, requireType } from '../world/services.ts'
import type { Operation } from './Operation.ts'

export const getRate: Operation<'getRate'> = (input, world) => {
  const { id } = input.path()
  const { usage, ...service } = findService(world, id)
  requireType(service, id, 'ppr')
  if (!usage) return { body: [] }
  const rate = Object.values(usage.stats).reduce((sum, used) => sum + used, 0)
  return { body: [{ limit: usage.limit, rate }] }
}

import { findService, isActiveRotating } from '../world/services.ts'
import { changeTtl } from '../world/sticky.ts'
import type { Operation } from './Operation.ts'

export const changeStickyTtl: Operation<'changeStickyTtl'> = (input, world, now) => {
  const { id, ttl } = input.path()
  const service = findService(world, id)
  // "The response is empty": zero bytes or an empty array, assumption `inactiveTtlBody`.
  if (!isActiveRotating(service))
    return { body: world.assumptions.inactiveTtlBody === 'array' ? [] : undefined }
  return {
    body: { success: 'TTL changed successfully' },
    change: { services: { [id]: changeTtl(service, Number(ttl), now) } },
  }
}

import { findService, requireClient } from '../world/services.ts'
import type { Operation } from './Operation.ts'

export const getNetworkErrors: Operation<'getNetworkErrors'> = (input, world) => {
  const { id } = input.path()
  const service = findService(world, id)
  requireClient(world, service, id)
  return { body: service.errors ?? [] }
}

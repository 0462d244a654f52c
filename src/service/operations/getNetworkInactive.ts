import { findServiceWithClient } from '../services.ts'
import type { Operation } from './Operation.ts'

export const getNetworkInactive: Operation<'getNetworkInactive'> = (input, world) => ({
  body: findServiceWithClient(world, input.requirePath().id).inactive ?? [],
})

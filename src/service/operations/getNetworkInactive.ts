import { findOwned } from '../services.ts'
import type { Operation } from './Operation.ts'

export const getNetworkInactive: Operation<'getNetworkInactive'> = (input, world) => ({
  body: findOwned(world, input.requirePath().id).inactive ?? [],
})

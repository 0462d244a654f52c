import { findOwned } from '../services.ts'
import type { Operation } from './Operation.ts'

export const getNetworkErrors: Operation<'getNetworkErrors'> = (input, world) => ({
  body: findOwned(world, input.requirePath().id).errors ?? [],
})

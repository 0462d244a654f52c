import { findServiceWithClient } from '../services.ts'
import type { Operation } from './Operation.ts'

export const getNetworkErrors: Operation<'getNetworkErrors'> = (input, world) => ({
  body: findServiceWithClient(world, input.requirePath().id).errors ?? [],
})

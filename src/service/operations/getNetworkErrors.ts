import { findServiceWithClient } from '../services.ts'
import type { Operation, Run } from './Operation.ts'

const run: Run<'getNetworkErrors'> = (input, world) => ({
  body: findServiceWithClient(world, input.requirePath().id).errors ?? [],
})

export const getNetworkErrors: Operation<'getNetworkErrors'> = {
  run,
  dependsOnTime: false,
}

import { findServiceWithClient } from '../services.ts'
import type { Operation, Run } from './Operation.ts'

const run: Run<'getNetworkInactive'> = (input, world) => ({
  body: findServiceWithClient(world, input.requirePath().id).inactive ?? [],
})

export const getNetworkInactive: Operation<'getNetworkInactive'> = {
  run,
  dependsOnTime: false,
}

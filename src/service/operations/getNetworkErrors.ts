import { completeList, serviceFacts } from '../facts.ts'
import { findServiceWithClient } from '../services.ts'
import type { Operation, Run } from './Operation.ts'

const run: Run<'getNetworkErrors'> = (input, world) => ({
  body: findServiceWithClient(world, input.requirePath().id).errors ?? [],
})

export const getNetworkErrors: Operation<'getNetworkErrors'> = {
  run,
  dependsOnTime: false,
  shows: ({ id, body }) => ({ shownFacts: serviceFacts(id, { client: true, errors: completeList(body) }) }),
}

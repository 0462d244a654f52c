import type { Operation, Run } from './Operation.ts'

const run: Run<'listClients'> = (_input, world) => ({
  body: world.clients.map(({ email }, id) => ({ id, email })),
})

export const listClients: Operation<'listClients'> = {
  run,
  dependsOnTime: false,
}

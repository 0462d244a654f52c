import type { Operation } from './Operation.ts'

export const listClients: Operation<'listClients'> = (_input, world) => ({
  body: world.clients.map(({ email }, id) => ({ id, email })),
})

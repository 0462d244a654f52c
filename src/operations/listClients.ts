import type { Operation } from './Operation.ts'

export const listClients: Operation<'listClients'> = (_asked, world) => ({
  body: Object.entries(world.clients).map(([id, { email }]) => ({ id: Number(id), email })),
})

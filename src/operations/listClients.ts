import { mapById } from '../world/mapById.ts'
import type { Operation } from './Operation.ts'

export const listClients: Operation<'listClients'> = (_input, world) => ({
  body: mapById(world.clients, ({ email }, id) => ({ id, email })),
})

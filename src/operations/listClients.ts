import { entriesById } from '../world/entriesById.ts'
import type { Operation } from './Operation.ts'

export const listClients: Operation<'listClients'> = (_input, world) => ({
  body: entriesById(world.clients).map(([id, { email }]) => ({ id, email })),
})

import { entriesById } from '../world/entriesById.ts'
import type { Operation } from './Operation.ts'

export const listServices: Operation<'listServices'> = (_input, world) => ({
  body: entriesById(world.services).map(([service_id, { product_name, nextduedate, orderid, status }]) => ({
    service_id,
    product_name,
    nextduedate,
    orderid,
    status,
  })),
})

import { mapById } from '../world/mapById.ts'
import type { Operation } from './Operation.ts'

export const listServices: Operation<'listServices'> = (_input, world) => ({
  body: mapById(world.services, ({ product_name, nextduedate, orderid, status }, service_id) => ({
    service_id,
    product_name,
    nextduedate,
    orderid,
    status,
  })),
})

import type { Operation } from './Operation.ts'

export const listServices: Operation<'listServices'> = (_asked, world) => ({
  body: Object.entries(world.services).map(([id, { product_name, nextduedate, orderid, status }]) => ({
    service_id: Number(id),
    product_name,
    nextduedate,
    orderid,
    status,
  })),
})

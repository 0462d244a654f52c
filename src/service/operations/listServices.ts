import type { Operation } from './Operation.ts'

export const listServices: Operation<'listServices'> = (_input, world) => ({
  body: world.services.map(({ product_name, nextduedate, orderid, status }, service_id) => ({
    service_id,
    product_name,
    nextduedate,
    orderid,
    status,
  })),
})

import type { Operation, Run } from './Operation.ts'

const run: Run<'listServices'> = (_input, world) => ({
  body: world.services.map(({ product_name, nextduedate, orderid, status }, service_id) => ({
    service_id,
    product_name,
    nextduedate,
    orderid,
    status,
  })),
})

export const listServices: Operation<'listServices'> = {
  run,
  dependsOnTime: false,
}

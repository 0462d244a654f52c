import { findProduct, order } from '../world/ordering.ts'
import type { Operation } from './Operation.ts'

export const orderService: Operation<'orderService'> = (asked, world, now) => {
  const { pid } = asked.path()
  findProduct(world, pid) // the path is judged before the body
  const { ordered, change } = order(world, pid, asked.body(), now)
  return { body: ordered, change }
}

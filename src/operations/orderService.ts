import { findProduct, order } from '../world/ordering.ts'
import type { Operation } from './Operation.ts'

export const orderService: Operation<'orderService'> = (input, world, now) => {
  const { pid } = input.path()
  findProduct(world, pid) // the path is checked before the body
  const { ordered, change } = order(world, pid, input.body(), now)
  return { body: ordered, change }
}

import { visibleProducts } from '../world/catalogue.ts'
import type { Operation } from './Operation.ts'

export const listProducts: Operation<'listProducts'> = (_input, world) => ({ body: visibleProducts(world) })

import { findService } from '../world/services.ts'
import type { Service } from '../world/World.ts'
import type { Assumptions } from '../world/values.ts'
import type { Operation } from './Operation.ts'

export const getService: Operation<'getService'> = (input, world) => {
  // A malformed id is treated like an unknown one: assumption `unknownService`.
  const isEmpty = world.assumptions.unknownService === 'empty'
  if (isEmpty && input.invalidPath !== undefined) return { body: [] }
  const { id } = input.path()
  if (isEmpty && !world.services.get(id)) return { body: [] }
  const service = findService(world, id)
  return {
    body: {
      service_id: Number(id),
      orderid: service.orderid,
      product_name: service.product_name,
      regdate: service.regdate,
      nextduedate: service.nextduedate,
      status: service.status,
      billingcycle: service.billingcycle,
      username: service.username,
      password: service.password,
      ...boundAddress(service, world.assumptions),
      product_type: service.product_type,
      ...(service.ip_count !== undefined && { ip_count: service.ip_count }),
      price: service.price,
    },
  }
}

/** The documentation doesn't say what the field is before an address is bound: assumption `emptyBind`. */
function boundAddress(
  { product_type, bindedip }: Service,
  { emptyBind }: Assumptions,
): { bindedip?: string } {
  if (bindedip) return { bindedip }
  return product_type === 'fpr' && emptyBind === 'empty' ? { bindedip: '' } : {}
}

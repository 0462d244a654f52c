import { findService } from '../services.ts'
import type { Operation, Run } from './Operation.ts'

const run: Run<'getService'> = (input, world) => {
  // A malformed id is treated like an unknown one: assumption `unknownService`.
  const { unknownService, emptyBind } = world.assumptions
  const returnsEmpty = unknownService === 'empty'
  if (returnsEmpty && input.pathViolation !== undefined) return { body: [] }
  const { id } = input.requirePath()
  if (returnsEmpty && !world.services.has(id)) return { body: [] }
  const service = findService(world, id)
  const { bindedip, ip_count } = service
  // The documentation doesn't give the value before an address is bound: assumption `emptyBind`.
  const isShown = bindedip || (service.product_type === 'fpr' && emptyBind === 'empty')
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
      ...(isShown && { bindedip: bindedip ?? '' }),
      product_type: service.product_type,
      ...(ip_count !== undefined && { ip_count }),
      price: service.price,
    },
  }
}

export const getService: Operation<'getService'> = {
  run,
  dependsOnTime: false,
}

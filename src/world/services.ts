import { own } from './own.ts'
import { refuse } from './Refusal.ts'
import type { ProductType } from './values.ts'
import type { Service, World } from './World.ts'

/** The service of that id; refused as `unprocessable` where there is none. */
export function findService(world: World, id: string): Service {
  return own(world.services, id) ?? refuse('unprocessable', `there is no service ${id}`)
}

/** Refuses a service of the other product type. */
export function requireType(service: Service, id: string, type: ProductType): void {
  if (service.product_type !== type)
    refuse('unprocessable', `service ${id} is ${service.product_type}; this is for ${type} services only`)
}

/** Refuses a service that is not Active. */
export function requireActive(service: Service, id: string): void {
  if (service.status !== 'Active')
    refuse('unprocessable', `service ${id} is ${service.status}; it must be Active`)
}

/** Refuses where the service's client does not exist. */
export function requireClient(world: World, service: Service, id: string): void {
  if (!world.clients[service.client])
    refuse('client-not-found', `service ${id} belongs to client ${service.client}, who does not exist`)
}

/** Whether operations of living ppr services apply; where not, 17, 19 and 20 answer with emptiness. */
export function isActiveRotating(service: Service): boolean {
  return service.product_type === 'ppr' && service.status === 'Active'
}

import { own } from './own.ts'
import { refuse } from './Refusal.ts'
import type { Service, World } from './World.ts'

/** The service of that id; refused as `unprocessable` where there is none. */
export function findService(world: World, id: string): Service {
  return own(world.services, id) ?? refuse('unprocessable', `there is no service ${id}`)
}

/** A service of type ppr: it has usage and sticky sessions from the start. */
export type RotatingService = Service & Required<Pick<Service, 'usage' | 'sticky'>>

function isRotating(service: Service): service is RotatingService {
  return service.product_type === 'ppr'
}

/** The rotating service of that id; refused as `unprocessable` if there is none. */
export function findRotating(world: World, id: string): RotatingService {
  const service = findService(world, id)
  if (isRotating(service)) return service
  return refuse('unprocessable', `service ${id} is ${service.product_type}; this is for ppr services only`)
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
export function isActiveRotating(service: Service): service is RotatingService {
  return isRotating(service) && service.status === 'Active'
}

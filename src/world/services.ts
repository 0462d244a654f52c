import { refuse } from './Refusal.ts'
import type { Service, Usage, World } from './World.ts'

/** Finds a service; refuses with `unprocessable` if there is none. */
export function findService(world: World, id: string): Service {
  return world.services.get(id) ?? refuse('unprocessable', `there is no service ${id}`)
}

/** A ppr service, which always has usage and sticky sessions. */
export type RotatingService = Service & Required<Pick<Service, 'usage' | 'sticky'>>

function isRotating(service: Service): service is RotatingService {
  return service.product_type === 'ppr'
}

/** Finds a rotating service; refuses with `unprocessable` if there is none. */
export function findRotating(world: World, id: string): RotatingService {
  const service = findService(world, id)
  if (isRotating(service)) return service
  return refuse('unprocessable', `service ${id} is ${service.product_type}; this is for ppr services only`)
}

/** The usage of a rotating service; undefined where one of another type has an empty one: assumption `usageOfFpr`. */
export function findUsage(world: World, id: string): Usage | undefined {
  const isEmpty = world.assumptions.usageOfFpr === 'empty' && findService(world, id).product_type === 'fpr'
  return isEmpty ? undefined : findRotating(world, id).usage
}

export function requireActive(service: Service, id: string): void {
  if (service.status !== 'Active')
    refuse('unprocessable', `service ${id} is ${service.status}; it must be Active`)
}

/** Refuses if the service's client doesn't exist. */
export function requireClient(world: World, service: Service, id: string): void {
  if (!world.clients.has(service.client))
    refuse('client-not-found', `service ${id} belongs to client ${service.client}, who does not exist`)
}

/** Whether the sticky-session operations apply; if not, they return nothing (operations 17, 19 and 20). */
export function isActiveRotating(service: Service): service is RotatingService {
  return isRotating(service) && service.status === 'Active'
}

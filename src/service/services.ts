import { refuseWith as refuse } from './refuse.ts'
import type { Product, Service, Usage, World } from '../world/World.ts'

/** Finds a product, hidden or not. Refuses with `product-not-found` if there is none. */
export function findProduct(world: World, pid: string): Product {
  return world.products.get(pid) ?? refuse('product-not-found', `there is no product ${pid}`)
}

/** Finds a service. Refuses with `unprocessable` if there is none. */
export function findService(world: World, id: string): Service {
  return world.services.get(id) ?? refuse('unprocessable', `there is no service ${id}`)
}

/** Finds a service whose client exists. */
export function findServiceWithClient(world: World, id: string): Service {
  const service = findService(world, id)
  if (world.clients.has(service.client)) return service
  return refuse('client-not-found', `service ${id} belongs to client ${service.client}, who does not exist`)
}

/** A ppr service, which always has usage and sticky sessions. */
export type RotatingService = Service & Required<Pick<Service, 'usage' | 'sticky'>>

function isRotating(service: Service): service is RotatingService {
  return service.product_type === 'ppr'
}

/** Finds a rotating service. Refuses with `unprocessable` if there is none. */
export function findRotatingService(world: World, id: string): RotatingService {
  const service = findService(world, id)
  if (isRotating(service)) return service
  return refuse('unprocessable', `service ${id} is ${service.product_type}; this is for ppr services only`)
}

/** The usage of a rotating service; undefined for an fpr service if assumption `usageOfFpr` is `empty`. */
export function findUsage(world: World, id: string): Usage | undefined {
  const isEmpty = world.assumptions.usageOfFpr === 'empty' && findService(world, id).product_type === 'fpr'
  return isEmpty ? undefined : findRotatingService(world, id).usage
}

export function requireActive(service: Service, id: string): void {
  if (service.status !== 'Active')
    refuse('unprocessable', `service ${id} is ${service.status}; it must be Active`)
}

/** Whether the sticky-session operations apply. Otherwise they return nothing (operations 17, 19 and 20). */
export function isActiveRotating(service: Service): service is RotatingService {
  return isRotating(service) && service.status === 'Active'
}

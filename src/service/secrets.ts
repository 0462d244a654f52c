import type { World, WorldChange } from '../world/World.ts'

/** Services whose passwords are looked for in all requests of their account; of more, in those that name or change them */
const maxServices = 200

/** The passwords of an account's services, unless they are too many to be looked for in each request. */
export function secretsOf({ services }: World): string[] {
  return services.size > maxServices ? [] : services.map(({ password }) => password)
}

/** The passwords of the services that a request names or changes. */
export function secretsNamed({ services }: World, path: string, change: WorldChange | undefined): string[] {
  const named = (path.match(/\d+/g) ?? []).map((id) => services.get(id))
  return [...named, ...Object.values(change?.services ?? {})].flatMap((service) => service?.password ?? [])
}

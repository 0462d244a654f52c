import type { World, WorldChange } from '../world/World.ts'

/** Maximum number of services whose passwords are redacted in every request of their account. With more, only those that a request names or changes are */
const maxServices = 200

/** The passwords of an account's services, unless there are too many to redact in every request. */
export function secretsOf({ services }: World): string[] {
  return services.size > maxServices ? [] : services.map(({ password }) => password)
}

/** The passwords of the services that a request names or changes. */
export function secretsNamed({ services }: World, path: string, change: WorldChange | undefined): string[] {
  const named = (path.match(/\d+/g) ?? []).map((id) => services.get(id))
  return [...named, ...Object.values(change?.services ?? {})].flatMap((service) => service?.password ?? [])
}

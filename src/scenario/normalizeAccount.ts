import { isObject } from '../world/mergePatch.ts'

/**
 * An account or a patch of one as it is kept: the assumption `updateListInterval` stands in the limits, as it is a number,
 * and a limit of usage that is null, which in a merge patch would only remove it, is `none`.
 */
export function normalizeAccount<T extends object>(account: T): T {
  return withInterval(withoutLimits(account))
}

function withInterval<T extends object>(account: T): T {
  const { assumptions, limits } = account as Record<string, unknown>
  if (!isObject(assumptions) || typeof assumptions['updateListInterval'] !== 'number') return account
  const { updateListInterval, ...readings } = assumptions
  return {
    ...account,
    assumptions: readings,
    limits: { updateListInterval, ...(isObject(limits) && limits) },
  }
}

function withoutLimits<T extends object>(account: T): T {
  const { services } = account as Record<string, unknown>
  if (!isObject(services)) return account
  const unlimited = Object.entries(services).flatMap(([id, service]) =>
    isObject(service) && isObject(service['usage']) && service['usage']['limit'] === null
      ? [[id, { ...service, usage: { ...service['usage'], limit: 'none' } }]]
      : [],
  )
  return unlimited.length === 0
    ? account
    : { ...account, services: { ...services, ...Object.fromEntries(unlimited) } }
}

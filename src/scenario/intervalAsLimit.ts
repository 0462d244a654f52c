import { isObject } from '../world/mergePatch.ts'

/**
 * An account or a patch of one, with the assumption `updateListInterval` where it is stored: in the limits, as it is a
 * number. What is extended or patched must not have it in two places.
 */
export function intervalAsLimit<T extends object>(account: T): T {
  const { assumptions, limits } = account as Record<string, unknown>
  if (!isObject(assumptions) || typeof assumptions['updateListInterval'] !== 'number') return account
  const { updateListInterval, ...readings } = assumptions
  return {
    ...account,
    assumptions: readings,
    limits: { updateListInterval, ...(isObject(limits) && limits) },
  }
}

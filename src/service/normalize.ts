import { coerceInterpretation } from './values.ts'
import { isObject } from '../world/mergePatch.ts'

/**
 * Converts an account, or a patch of it, to its stored form: assumptions get the contract's types, `updateListInterval`
 * moves to `limits`, and a usage limit of null becomes `none`, because null in a merge patch would remove the field.
 */
export function normalize<T extends object>(account: T): T {
  const { assumptions, limits, services } = account as Record<string, unknown>
  const normalized: Record<string, unknown> = {}
  if (isObject(assumptions)) {
    const pairs = Object.entries(assumptions).map(([id, value]) => [id, coerceInterpretation(id, value)])
    const { updateListInterval, ...interpretations } = Object.fromEntries(pairs) as Record<string, unknown>
    const isLimit = typeof updateListInterval === 'number' || updateListInterval === null
    normalized['assumptions'] = isLimit ? interpretations : { ...interpretations, updateListInterval }
    if (isLimit) normalized['limits'] = { updateListInterval, ...(isObject(limits) && limits) }
  }
  if (isObject(services) && Object.values(services).some(isUnlimited))
    normalized['services'] = Object.fromEntries(
      Object.entries(services).map(([id, service]) => [
        id,
        isUnlimited(service) ? { ...service, usage: { ...service.usage, limit: 'none' } } : service,
      ]),
    )
  return { ...account, ...normalized }
}

function isUnlimited(service: unknown): service is { usage: object } {
  return isObject(service) && isObject(service['usage']) && service['usage']['limit'] === null
}

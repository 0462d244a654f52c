import { ContractError } from './ContractError.ts'

/** Replaces every local `$ref` with what it refers to. */
export function dereference(document: unknown): unknown {
  const done = new Map<string, unknown>()
  const under = new Set<string>()

  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: unknown }
    if (typeof $ref === 'string') return target($ref)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]))
  }

  function target(ref: string): unknown {
    if (done.has(ref)) return done.get(ref)
    if (under.has(ref))
      throw new ContractError(`${ref} refers to itself; recursive schemas are not supported`)
    if (!ref.startsWith('#/'))
      throw new ContractError(`${ref} is not in the document; only local references are supported`)
    let found: unknown = document
    for (const part of ref.slice(2).split('/')) {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
      found =
        typeof found === 'object' && found !== null && Object.hasOwn(found, key)
          ? (found as Record<string, unknown>)[key]
          : undefined
    }
    if (found === undefined) throw new ContractError(`${ref} does not exist`)
    under.add(ref)
    const resolved = resolve(found)
    under.delete(ref)
    done.set(ref, resolved)
    return resolved
  }

  return resolve(document)
}

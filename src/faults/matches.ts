import { isObject } from '../world/mergePatch.ts'
import type { Fault } from '../world/World.ts'

/** The parts of a request that a fault can match. */
export interface Matchable {
  operation: string
  path: Readonly<Record<string, string>>
  body: unknown
}

/** Whether a fault applies to a request: same operation, and everything that it names in path and body. */
export function matches({ operation, match }: Fault, request: Matchable): boolean {
  if (operation !== '*' && operation !== request.operation) return false
  if (
    match?.path &&
    !Object.entries(match.path).every(([name, value]) => request.path[name] === String(value))
  )
    return false
  return match?.body === undefined || contains(request.body, match.body)
}

function contains(value: unknown, part: unknown): boolean {
  if (isObject(part))
    return (
      isObject(value) &&
      Object.entries(part).every(([key, item]) => Object.hasOwn(value, key) && contains(value[key], item))
    )
  if (Array.isArray(part))
    return (
      Array.isArray(value) &&
      part.length === value.length &&
      part.every((item, i) => contains(value[i], item))
    )
  return value === part
}

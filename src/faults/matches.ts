import { isObject } from '../world/mergePatch.ts'
import type { Fault } from '../world/World.ts'

/** What of a request a fault can look at. */
export interface Matchable {
  operation: string
  path: Readonly<Record<string, string>>
  body: unknown
}

/** Whether a fault is meant for a request: the operation, and of path and body what the fault names. */
export function matches({ operation, match }: Fault, asked: Matchable): boolean {
  if (operation !== '*' && operation !== asked.operation) return false
  if (match?.path && !Object.entries(match.path).every(([name, value]) => asked.path[name] === String(value)))
    return false
  return match?.body === undefined || contains(asked.body, match.body)
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

import { fraction } from '../world/random.ts'
import { isExhausted } from '../world/faults.ts'
import { maxCount } from '../world/numbers.ts'
import type { Fault, StoredFault, World } from '../world/World.ts'

/** The parts of a request that a fault can match. */
interface Matchable {
  operation: string
  path: Readonly<Record<string, string>>
  body: unknown
}

/** The fault that triggers, and all faults that count the request, with their new counters. */
interface Selection {
  fault: Fault | undefined
  /** Undefined if no counter changed */
  faults: Record<string, StoredFault> | undefined
}

/**
 * Selects the first fault that triggers on a request, and updates the counters. Both happen synchronously, so
 * concurrent requests can't use the same count.
 * @param applies whether a matching fault can apply to the request; if not, the request isn't counted
 */
export function selectFault(world: World, request: Matchable, applies: (fault: Fault) => boolean): Selection {
  const faults: Record<string, StoredFault> = {}
  for (const [id, stored] of world.faults.entries()) {
    const fault: Fault = { id, ...stored }
    if (isExhausted(fault) || !matches(fault, request) || !applies(fault)) continue
    const triggers = fault.seen >= (fault.after ?? 0) && meetsProbability(fault, world.seed)
    const seen = Math.min(fault.seen + 1, maxCount)
    const used = Math.min(fault.used + Number(triggers), maxCount)
    faults[id] = { ...stored, seen, used }
    if (triggers) return { fault: { ...fault, seen, used }, faults }
  }
  return { fault: undefined, faults: Object.keys(faults).length > 0 ? faults : undefined }
}

/** Whether a fault matches a request: the operation and all given fields of path and body are equal. */
function matches({ operation, match = {} }: Fault, request: Matchable): boolean {
  if (operation !== '*' && operation !== request.operation) return false
  const path = Object.entries(match.path ?? {})
  if (path.some(([name, value]) => request.path[name] !== String(value))) return false
  return match.body === undefined || contains(request.body, match.body)
}

/** Whether a value contains all fields of another; lists are compared item by item. */
function contains(value: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return value === part
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(part) && (!Array.isArray(value) || part.length !== value.length)) return false
  const fields = value as Record<string, unknown>
  return Object.entries(part).every(
    ([key, item]) => Object.hasOwn(fields, key) && contains(fields[key], item),
  )
}

/** Decides by seed and count, so that runs are reproducible. */
function meetsProbability({ id, probability, seen }: Fault, seed: number): boolean {
  return probability === undefined || fraction([seed, 'fault', id, seen]) < probability
}

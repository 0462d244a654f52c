import { fraction } from '../world/chance.ts'
import { maxCounted } from '../world/numbers.ts'
import type { Fault, World } from '../world/World.ts'

/** The parts of a request that a fault can match. */
interface Matchable {
  operation: string
  path: Readonly<Record<string, string>>
  body: unknown
}

/** The fault that triggers, and all faults with updated counters. */
interface Selection {
  fault: Fault | undefined
  /** undefined if no counter changed */
  faults: Fault[] | undefined
}

/** Exhausted faults are kept for inspection, the oldest dropped first. */
export const maxExhausted = 20

/**
 * Selects the first fault that triggers on a request, and updates the counters. Both happen in one synchronous call, so
 * concurrent requests can't share a count.
 * @param applies whether a fault that matches can be applied to the request; if not, the request doesn't count
 */
export function selectFault(
  { faults, seed }: World,
  request: Matchable,
  applies: (fault: Fault) => boolean,
): Selection {
  let selected: Fault | undefined
  let isCounted = false
  const counted = faults.map((fault) => {
    if (selected || isExhausted(fault) || !matches(fault, request) || !applies(fault)) return fault
    const triggers = fault.seen >= (fault.after ?? 0) && isDrawn(fault, seed)
    const seen = Math.min(fault.seen + 1, maxCounted)
    const next = { ...fault, seen, used: Math.min(fault.used + Number(triggers), maxCounted) }
    isCounted = true
    if (triggers) selected = next
    return next
  })
  if (!isCounted) return { fault: undefined, faults: undefined }
  const kept = new Set(counted.filter(isExhausted).slice(-maxExhausted))
  return { fault: selected, faults: counted.filter((fault) => kept.has(fault) || !isExhausted(fault)) }
}

/** Whether a fault is about a request: same operation, and everything that it names in path and body. */
function matches({ operation, match = {} }: Fault, request: Matchable): boolean {
  if (operation !== '*' && operation !== request.operation) return false
  const path = Object.entries(match.path ?? {})
  if (path.some(([name, value]) => request.path[name] !== String(value))) return false
  return match.body === undefined || contains(request.body, match.body)
}

/** Whether a value has all the fields of another; lists are compared item by item. */
function contains(value: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return value === part
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(part) && (!Array.isArray(value) || part.length !== value.length)) return false
  const own = value as Record<string, unknown>
  return Object.entries(part).every(([key, item]) => Object.hasOwn(own, key) && contains(own[key], item))
}

/** Whether a fault has triggered for the last time. */
export function isExhausted({ times, used }: Fault): boolean {
  return times !== undefined && used >= times
}

/** Drawn by seed and count, so that runs are reproducible. */
function isDrawn({ id, probability, seen }: Fault, seed: number): boolean {
  return probability === undefined || fraction([seed, 'fault', id, seen]) < probability
}

import { dateTimeRoundedUp, type Instant } from '../world/time.ts'
import type { World } from '../world/World.ts'

/**
 * Placeholder values for a case that a fault forces. The contract's example has a timestamp in the past.
 * @param until the time that the case names
 */
export function caseValues(
  { limits, assumptions }: World,
  now: Instant,
  until = now + limits.updateListInterval * 1000,
): Record<string, string> {
  return { timestamp: dateTimeRoundedUp(until, assumptions.timeZone) }
}

import { counted } from '../lib/text.ts'
import { type Instant, instantOf } from '../world/time.ts'
import type { World, WorldChange } from '../world/World.ts'
import type { ApiResponse } from './Wire.ts'

/** Counts a request against `limits.requests`. @returns the change of the counters, or the response if the limit is exceeded */
export function countRequest(
  { limits }: World,
  now: Instant,
): { counters?: WorldChange; response?: ApiResponse } {
  if (!limits.requests) return {}
  const { count, per, since, used = 0 } = limits.requests
  const began = Date.parse(since ?? '') // NaN before the first request, which starts a window
  const ends = began + per * 1000
  if (!(began <= now && now < ends))
    return { counters: { limits: { requests: { since: instantOf(now), used: 1 } } } }
  if (used < count) return { counters: { limits: { requests: { used: used + 1 } } } }
  const wait = Math.max(1, Math.ceil((ends - now) / 1000))
  return {
    response: {
      status: 429,
      type: 'application/json',
      body: JSON.stringify({ error: 'Too Many Requests' }),
      headers: { 'retry-after': String(wait) },
      case: 'too-many-requests',
      reason: `limits.requests allows ${counted(count, 'request')} in ${per} s; the window ends in ${wait} s`,
      forced: true,
    },
  }
}

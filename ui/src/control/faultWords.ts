import { duration } from '../lib/format.ts'
import type { Fault } from '../lib/types.ts'

const drops = {
  reset: 'the connection is reset',
  empty: 'the connection ends without an answer',
  truncate: 'the connection ends amid the answer',
}

/** What a fault does, in words. */
export function faultWords({ respond, delay, drop, phase, match }: Fault): string {
  const does = [
    delay !== undefined && `waits ${duration(delay)}`,
    typeof respond === 'string' && `answers ${respond}`,
    typeof respond === 'object' && `answers ${respond.status}`,
    drop !== undefined && drops[drop],
  ].filter(Boolean)
  return [
    does.join(', then '),
    phase === 'after' ? 'after the operation was carried out' : '',
    match ? `where ${JSON.stringify(match)}` : '',
  ]
    .filter(Boolean)
    .join(', ')
}

/** How often it strikes, and has struck. */
export function faultCount({ times, used, after = 0, seen, probability }: Fault): string {
  const left = after - seen
  return [
    times === undefined ? `every time, ${used} so far` : `${used} of ${times} times`,
    left > 0 ? `not the next ${left}` : '',
    probability === undefined ? '' : `with probability ${probability}`,
  ]
    .filter(Boolean)
    .join(', ')
}

export function isSpent({ times, used }: Fault): boolean {
  return times !== undefined && used >= times
}

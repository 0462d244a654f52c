import { faultWords as effectWords } from '../../../src/faults/describeFault.ts'
import type { Fault } from '../lib/types.ts'

export { isSpent } from '../../../src/faults/selectFault.ts'

/** What a fault does and to which requests, in words. */
export function faultWords(fault: Fault): string {
  return [effectWords(fault), fault.match ? `where ${JSON.stringify(fault.match)}` : '']
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

import { describeFault } from '../../../src/faults/applyFault.ts'
import type { World } from './types.ts'

type Fault = World['faults'][number]

/** Whether a fault can no longer trigger. */
export function isExhausted({ times, used }: Fault): boolean {
  return times !== undefined && used >= times
}

/** The operation and effects of a fault: `orderService responds with insufficient-funds` */
export function formatFault({ operation, match, ...fault }: Fault): string {
  const condition = match ? ` with ${JSON.stringify(match.path ?? match.body)}` : ''
  return `${operation === '*' ? 'Every operation' : operation}${condition} ${describeFault(fault)}`
}

/** Splits the reason of a forced response into the fault (`fault 2`) and its effect. */
export function splitReason(reason: string): [fault: string, effect: string] {
  const [, fault = 'fault', effect = reason] =
    /^(?:forced by )?(fault \d+) \((.*); [^;]*\)$/.exec(reason) ?? []
  return [fault, effect]
}

/** How often a fault triggers, and how often it has triggered. */
export function formatTriggerCount({ times, used, after = 0, seen, probability }: Fault): string {
  return [
    times === undefined ? `every time, ${used} so far` : `${used} of ${times}`,
    after > seen && `skips the next ${after - seen}`,
    probability !== undefined && `${probability * 100} %`,
  ]
    .filter(Boolean)
    .join(', ')
}

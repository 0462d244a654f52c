import { describeFault } from '../../../src/faults/applyFault.ts'
import type { World } from './types.ts'

type Fault = World['faults'][number]

/** Whether it can no longer trigger. */
export function isUsedUp({ times, used }: Fault): boolean {
  return times !== undefined && used >= times
}

/** The operation and effects of a fault: `orderService responds with insufficient-funds` */
export function faultText({ operation, match, ...fault }: Fault): string {
  const condition = match ? ` with ${JSON.stringify(match.path ?? match.body)}` : ''
  return `${operation === '*' ? 'Every operation' : operation}${condition} ${describeFault(fault)}`
}

/** The reason for a response that a fault forced, in two parts: `fault 2`, and what it did. */
export function faultReason(reason: string): [fault: string, effect: string] {
  const [, fault = 'fault', effect = reason] =
    /^(?:forced by )?(fault \d+) \((.*); [^;]*\)$/.exec(reason) ?? []
  return [fault, effect]
}

/** How often it triggers, and has triggered. */
export function faultCount({ times, used, after = 0, seen, probability }: Fault): string {
  return [
    times === undefined ? `every time, ${used} so far` : `${used} of ${times}`,
    after > seen && `not the next ${after - seen}`,
    probability !== undefined && `${probability * 100} %`,
  ]
    .filter(Boolean)
    .join(', ')
}

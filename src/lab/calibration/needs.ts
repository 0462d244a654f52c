import type { Assumption } from '../../contract/Contract.ts'
import type { CallEffect, Need } from './Calibration.ts'

/** A call that settles an assumption, as listed in the contract (`settle`). */
export interface DecidingCall {
  /** May contain placeholders for ids: `GET /api/product/{listed}` */
  call: string
  effect: CallEffect
  times?: number | 'each'
  credentials?: 'none'
  caution?: string
}

export function decidingCalls({ settle = [] }: Assumption & { settle?: DecidingCall[] }): DecidingCall[] {
  return settle
}

const effectOrder: Record<CallEffect, number> = { 'costs money': 0, 'changes state': 1, reads: 2 }

/** Returns the calls that would settle an assumption, the most decisive one first. */
export function findNeeds(assumption: Assumption): Need[] {
  return decidingCalls(assumption)
    .toSorted((a, b) => effectOrder[a.effect] - effectOrder[b.effect])
    .map(({ call, effect, caution, times, credentials }) => ({
      call: `${call}${typeof times === 'number' ? `, ${times} times` : ''}${credentials === 'none' ? ', without credentials' : ''}`,
      effect,
      ...(caution !== undefined && { caution }),
    }))
}

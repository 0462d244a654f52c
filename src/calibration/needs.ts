import type { Assumption } from '../contract/Contract.ts'
import type { Effect, Need } from './Calibration.ts'

/** A call that settles an assumption, as listed in the contract (`settle`). */
export interface DecidingCall {
  /** With placeholders for ids: `GET /api/product/{listed}` */
  call: string
  effect: Effect
  times?: number | 'each'
  credentials?: 'none'
  caution?: string
}

/** The calls that settle an assumption. */
export function decidingCalls({ settle = [] }: Assumption & { settle?: DecidingCall[] }): DecidingCall[] {
  return settle
}

const order: Record<Effect, number> = { 'costs money': 0, 'changes state': 1, reads: 2 }

/** The calls that would settle an assumption, the decisive one first. */
export function needsOf(assumption: Assumption): Need[] {
  return decidingCalls(assumption)
    .toSorted((a, b) => order[a.effect] - order[b.effect])
    .map(({ call, effect, caution, times, credentials }) => ({
      call: `${call}${typeof times === 'number' ? `, ${times} times` : ''}${credentials === 'none' ? ', without credentials' : ''}`,
      effect,
      ...(caution !== undefined && { caution }),
    }))
}

import type { Assumption, Contract } from '../contract/Contract.ts'
import type { Effect, Need } from './Calibration.ts'

/** A call that settles an assumption, as listed in the contract (`settle`). */
export interface SettlingCall {
  /** With placeholders for ids: `GET /api/product/{listed}` */
  call: string
  effect: Effect
  times?: number | 'each'
  credentials?: 'none'
  caution?: string
}

/** The calls that settle an assumption; if the contract lists none, its first operation. */
export function settlingCalls(assumption: Assumption, contract: Contract): SettlingCall[] {
  const { settle } = assumption as Assumption & { settle?: SettlingCall[] }
  if (Array.isArray(settle)) return settle
  const operation = contract.operation(assumption.operations[0] ?? '')
  if (!operation) return []
  return [
    {
      call: `${operation.method} ${operation.path.replace('{id}', '{active}').replace('{pid}', '{product}')}`,
      effect:
        operation.method === 'GET' ? 'reads' : operation.method === 'POST' ? 'costs money' : 'changes state',
    },
  ]
}

const order: Record<Effect, number> = { 'costs money': 0, 'changes state': 1, reads: 2 }

/** The calls that would settle an assumption, the decisive one first. */
export function needsOf(assumption: Assumption, contract: Contract): Need[] {
  return settlingCalls(assumption, contract)
    .toSorted((a, b) => order[a.effect] - order[b.effect])
    .map(({ call, effect, caution, times, credentials }) => ({
      call: `${call}${typeof times === 'number' ? `, ${times} times` : ''}${credentials === 'none' ? ', without credentials' : ''}`,
      effect,
      ...(caution !== undefined && { caution }),
    }))
}

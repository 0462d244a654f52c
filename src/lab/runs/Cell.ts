import type { FaultPreset } from '../simulator.ts'

/** The stages of a sweep, in the order in which they run. */
export const stages = ['first', 'later', 'lasting', 'overlap', 'recovery', 'rerun'] as const

export type Stage = (typeof stages)[number]

/** A fault on a call. */
export interface Aim {
  operation: string
  /**
   * Position among the calls of the operation, from 1: in the run, after the first fault, or in the second run. A stale response with 1
   * is the first one for which an earlier state exists
   */
  call: number
  fault: FaultPreset
}

/** A run with one or two faults. */
export interface Cell extends Aim {
  stage: Exclude<Stage, 'overlap'>
  /** Whether the fault triggers on all calls of the operation from `call` on */
  isLasting?: boolean
  /** The second fault, and the run that it affects */
  second?: Aim & { run: 1 | 2 }
}

/** `orderService#3 lost`, `getService 503 lasting`, `orderService lost, then listServices+1 503` */
export function cellName({ operation, call, fault, isLasting, second }: Cell): string {
  const first = `${operation}${call === 1 ? '' : `#${call}`} ${fault.name}${isLasting ? ' lasting' : ''}`
  if (!second) return first
  return second.run === 1
    ? `${first}, then ${second.operation}+${second.call} ${second.fault.name}`
    : `${first}, rerun with ${second.operation} ${second.fault.name}`
}

/** A call of a command, as a plan and a verdict need it. */
export interface Call {
  operation: string
  /** Position among the calls of the operation in its run, from 1 */
  number: number
  /** 1, or 2 for the second run of a pair */
  run: number
  /** The request without ids and times: `POST /api/product/101 {"clientid":11}` */
  request: string
  /** The requests by which the run had changed something before */
  changes: readonly Pick<Call, 'operation' | 'request'>[]
  /** Whether a change by an earlier request exists, so that a stale response is possible */
  hasEarlierState: boolean
  /** The fault that triggered: 0 for the first, 1 for the second; undefined if there was none */
  injected: number | undefined
}
